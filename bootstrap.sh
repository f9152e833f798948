#!/usr/bin/env bash
# From a fresh Debian 12 or Ubuntu 24.04 to a running program:
#
#   ./bootstrap.sh demo     install packages, build, run configs/water.yaml
#   ./bootstrap.sh test     install packages, build, run every test
#   ./bootstrap.sh build    install packages, build
#   ./bootstrap.sh deb      install packages, build without CUDA and SLEPc, make a Debian package
#   ./bootstrap.sh packages install packages, for all of these
#
# Packages come from the distribution and are skipped where they are installed; sudo is used where
# needed. CUDA is used where nvcc, version 12 or later, is found. Sources are compiled several at a
# time, for a build in half the time. Environment:
#   CISOLVE_BUILD_FOLDER        default build/bootstrap
#   CISOLVE_CMAKE_ARGUMENTS     further arguments for cmake, such as -DCMAKE_CUDA_ARCHITECTURES=90
#   CISOLVE_JOBS                compilers at once; default: as many as cores and memory allow
set -euo pipefail
cd "$(dirname "$0")"

packages=(
  g++ make cmake ninja-build pkg-config
  libeigen3-dev libspdlog-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev
  libhdf5-dev libopenblas-dev liblapacke-dev zlib1g-dev libzip-dev libpng-dev libtrexio-dev
  libopenmpi-dev openmpi-bin libgtest-dev
)
# the documentation's commands, links and Python reference
test_packages=(python3 mkdocs mkdocstrings mkdocstrings-python-handlers black)
deb_packages=(dpkg-dev file)    # the dependencies of a Debian package
build=${CISOLVE_BUILD_FOLDER:-build/bootstrap}

usage() { sed -n '2,16s/^# \{0,1\}//p' "$0"; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else
    echo "bootstrap.sh: these packages are missing, and there is neither root nor sudo to install them:" >&2
    echo "  ${missing[*]}" >&2
    exit 1
  fi
}

install_packages() {
  if ! command -v apt-get >/dev/null; then
    echo "bootstrap.sh: no apt-get here; install what docs/building.md lists by your own means" >&2
    return
  fi
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "Installing: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

jobs() {
  # A compiler takes up to 1.5 GB.
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  [ "$memory" -lt 1 ] && memory=1
  echo $((cores < memory ? cores : memory))
}

build() {
  install_packages
  # shellcheck disable=SC2086  # the arguments are meant to be split
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCISOLVE_BENCH="$1" -DCISOLVE_TESTS="$1" \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 ${CISOLVE_CMAKE_ARGUMENTS:-}
  cmake --build "$build" -j "${CISOLVE_JOBS:-$(jobs)}"
}

case "${1:-}" in
  demo)
    build OFF
    "$build/cisolve" run configs/water.yaml
    ;;
  test)
    packages+=("${test_packages[@]}")
    build ON
    ctest --test-dir "$build" --output-on-failure -j "$(nproc)"
    ;;
  build)
    build OFF
    echo "Built $build/cisolve"
    ;;
  deb)
    packages+=("${deb_packages[@]}")
    CISOLVE_CMAKE_ARGUMENTS="-DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_RPATH_USE_LINK_PATH=OFF
      -DCISOLVE_CUDA=OFF -DCISOLVE_SLEPC=OFF ${CISOLVE_CMAKE_ARGUMENTS:-}"
    build OFF
    (cd "$build" && cpack -G DEB)
    ;;
  packages)
    packages+=("${test_packages[@]}" "${deb_packages[@]}")
    install_packages
    ;;
  *)
    usage
    exit 1
    ;;
esac
