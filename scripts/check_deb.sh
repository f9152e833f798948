#!/usr/bin/env bash
# The Debian package as its users have it: installs it in a fresh root with nothing else in it, runs
# the program on water, builds an example by CMake and by pkg-config and runs it.
#
#   scripts/check_deb.sh PACKAGE.deb
#
# The root has the release of this machine and the sources of its apt. Needs root, the distribution's
# mirror, debootstrap and lintian (apt-get install debootstrap lintian).
set -euo pipefail
cd "$(dirname "$0")/.."
package=$(realpath "$1")
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
quietly() { "$@" >"$root/log" 2>&1 || { cat "$root/log"; exit 1; }; }
installed() { quietly inside apt-get install -y -q --no-install-recommends "$@"; }

# The changelog is the project's, not Debian's.
lintian --allow-root --suppress-tags no-changelog --fail-on error,warning "$package"
quietly debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
for sources in sources.list sources.list.d/debian.sources sources.list.d/ubuntu.sources; do
  [ ! -e "/etc/apt/$sources" ] || cp "/etc/apt/$sources" "$root/etc/apt/$sources"
done
{ apt-config dump Acquire::http::Proxy; apt-config dump Acquire::https::Proxy; } >"$root/etc/apt/apt.conf"
mount -t proc proc "$root/proc"
mkdir -p "$root/work/tests"
cp -r configs examples "$root/work"
cp -r tests/data "$root/work/tests"
cp "$package" "$root/work/package.deb"
quietly inside apt-get update -q
installed /work/package.deb

energy=' -76\.11985057'
inside cisolve --version
inside cisolve run /work/configs/water.yaml | tee "$root/found"
grep -q -- "$energy" "$root/found"
grep -q '^status  *converged' "$root/found"

data=/work/tests/data/h2o_631g_frozen_core.fcidump
installed g++ make cmake pkg-config
quietly inside cmake -S /work/examples/library -B /work/build
quietly inside cmake --build /work/build --target lowest
quietly inside sh -c 'g++ -std=c++20 -o /work/lowest /work/examples/library/lowest.cpp \
  $(pkg-config --cflags --libs cisolve)'
for lowest in /work/build/lowest /work/lowest; do
  inside $lowest $data | sed 's/^/ /' | tee "$root/found"
  grep -q -- "$energy" "$root/found"
done

installed openmpi-bin
inside mpirun --allow-run-as-root --oversubscribe -n 2 cisolve eigen $data | tee "$root/found"
grep -q -- "$energy" "$root/found"

quietly inside apt-get purge -y -q cisolve
left=$(find "$root/usr" -name '*cisolve*')
[ -z "$left" ] || { echo "left after removal: $left"; exit 1; }
