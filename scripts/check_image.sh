#!/usr/bin/env bash
# The image of packaging/Dockerfile, built and run on water: by docker where a daemon answers, else
# by the steps of that file (FROM, COPY, RUN, WORKDIR, ENTRYPOINT) in roots that debootstrap makes.
#
#   scripts/check_image.sh [FOLDER]
#
# FOLDER: where the roots lie, by default a temporary one; they are removed. Needs root, the
# distribution's mirror and debootstrap. About half an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
water='eigen h2o_631g_frozen_core.fcidump'
energy=' -76\.11985057'
if docker info >/dev/null 2>&1; then
  docker build -f packaging/Dockerfile -t cisolve-check .
  # shellcheck disable=SC2086  # words of a command
  docker run --rm -v "$PWD/tests/data:/work" cisolve-check $water | tee /dev/stderr | grep -q -- "$energy"
  exit
fi

roots=$(mktemp -d -p "${1:-${TMPDIR:-/tmp}}")
remove() {
  for stage in "$roots"/*/; do umount "${stage}proc" 2>/dev/null || true; done
  rm -rf --one-file-system "$roots"
}
trap remove EXIT
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER

declare -A release=([debian:12]=bookworm [debian:12-slim]=bookworm)
stage='' root='' folder=/ number=0
inside() { chroot "$root" sh -c "cd '$folder' && $*" </dev/null; }

begin_stage() { # IMAGE [AS NAME]
  number=$((number + 1))
  stage=${3:-stage$number} root=$roots/${3:-stage$number} folder=/
  if [ -d "$roots/$1" ]; then
    umount "$roots/$1/proc"
    cp -a "$roots/$1" "$root"
  else
    debootstrap --variant=minbase "${release[$1]:?no release is known for $1}" "$root" >"$roots/log" ||
      { cat "$roots/log"; return 1; }
    for sources in sources.list sources.list.d/debian.sources; do
      [ ! -e "/etc/apt/$sources" ] || cp "/etc/apt/$sources" "$root/etc/apt/$sources"
    done
    { apt-config dump Acquire::http::Proxy; apt-config dump Acquire::https::Proxy; } >"$root/etc/apt/apt.conf"
  fi
  mount -t proc proc "$root/proc"
}

copy() { # [--from=STAGE] SOURCE TARGET
  if [[ $1 == --from=* ]]; then
    # shellcheck disable=SC2086  # a pattern
    cp -r "$roots/${1#--from=}"/${2#/} "$root/$3"
  elif [ "$2" = "${2%/}" ] && [ "$1" = . ]; then
    mkdir -p "$root/$2"
    git ls-files -z | xargs -0 cp --parents -t "$root/$2"
  else
    cp -r "$1" "$root/$2"
  fi
}

# Lines that end in a backslash go on.
while read -r step words; do
  echo "== $step $words"
  # shellcheck disable=SC2086  # words of a line
  case $step in
    FROM) begin_stage $words ;;
    COPY) copy $words ;;
    RUN) inside "$words" ;;
    WORKDIR) folder=$words && mkdir -p "$root/$folder" ;;
    ENTRYPOINT) entry=$(tr -d '[]",' <<<"$words") ;;
    *) echo "check_image.sh: $step is not known here" >&2 && exit 1 ;;
  esac
done < <(sed -e '/^#/d; /^$/d' -e ':joined; /\\$/ {N; s/\\\n//; b joined}' packaging/Dockerfile)

cp tests/data/h2o_631g_frozen_core.fcidump "$root/$folder"
inside "$entry $water" | tee "$roots/found"
grep -q -- "$energy" "$roots/found"
