#!/usr/bin/env bash
# What a change is not tested by every time: about three hours on two cores.
#
#   scripts/thorough.sh [STEP...]
#
# Steps, all without STEPs, each in a build folder of its own below build/thorough:
#   prose        length of the documentation's sentences (scripts/prose.py); builds nothing
#   reference    a comment on every public C++ member (scripts/cpp_reference.py), the site; builds
#                nothing
#   pages        pages of runs in Chromium (tests/page/layout.py), which has to be there
#   native       compiled for this processor alone, all tests
#   headers      without precompiled headers: every file includes what it needs
#   sanitizers   address and undefined-behaviour sanitizers, all tests
#   coverage     lines of every folder that the tests run, on the CPU (gcovr of PYTHON); tests that kill
#                the program or take its memory leave no counts
#   tidy         clang-tidy 19 (CLANG_TIDY) with .clang-tidy, all C++ but the loops in GCC's dialect;
#                wants clang's omp.h (Debian: libomp-dev)
#   benchmarks   every instruction set; every benchmark is built and those that take no arguments
#                or small ones are run once, for whether they end well and not for their figures
#   faults       kills, short memory, full disks, bombs, calls that fail (bench/faults.py), kills of
#                selections (bench/select_faults.py); full disks as root alone. Its log has the tables of docs/results/faults.md
#   debian       the Debian package, in a root of its own (scripts/check_deb.sh); as root alone
#   wheel        the wheel without CUDA, built from the source archive and installed
#                (scripts/check_wheel.sh)
# Prints how long each took and what failed; the exit status is 1 then. Logs lie beside the builds.
# Environment: CISOLVE_JOBS, compilers and tests at once; default: the number of cores. PYTHON, one
# with numpy and h5py of `faults`, with headers and venv of `wheel`, with gcovr of `coverage`; default:
# python3. CLANG_TIDY; default: clang-tidy.
set -uo pipefail
cd "$(dirname "$0")/.."
all=(prose reference pages native headers sanitizers coverage tidy benchmarks faults debian wheel)
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=("${all[@]}")
jobs=${CISOLVE_JOBS:-$(nproc)}
mkdir -p build/thorough

configured_build() { # STEP OPTION...
  local step=$1
  shift
  cmake -S . -B "build/thorough/$step" -G Ninja -DCISOLVE_WERROR=ON -DCMAKE_CUDA_ARCHITECTURES=90 \
    -DCISOLVE_BENCH=OFF "$@" && cmake --build "build/thorough/$step" -j "$jobs"
}
tested() { ctest --test-dir "build/thorough/$1" -j "$jobs" --output-on-failure; }

prose() { scripts/prose.py; }
reference() { scripts/cpp_reference.py build/thorough/reference && scripts/site.sh; }
pages() {
  configured_build pages -DCISOLVE_CUDA=OFF -DCISOLVE_TESTS=OFF -DCISOLVE_INSTRUCTION_SETS= &&
    tests/page/layout.py build/thorough/pages/cisolve
}
native() { configured_build native -DCISOLVE_NATIVE=ON && tested native; }
headers() {
  configured_build headers -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DCISOLVE_INSTRUCTION_SETS=
}
sanitizers() {
  configured_build sanitizers -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCISOLVE_CUDA=OFF \
    -DCISOLVE_SANITIZE=ON -DCISOLVE_INSTRUCTION_SETS= && tested sanitizers
}
# Sources several at a time, so that headers are read once for twelve of them.
together=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12)
coverage() {
  configured_build coverage -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" \
    -DCMAKE_CXX_FLAGS=--coverage -DCISOLVE_WERROR=OFF -DCISOLVE_CUDA=OFF \
    -DCISOLVE_INSTRUCTION_SETS= "${together[@]}" || return 1
  tested coverage || return 1
  "${PYTHON:-python3}" -m gcovr --root . --gcov-ignore-parse-errors \
    --gcov-ignore-errors no_working_dir_found -j "$jobs" --json-summary build/thorough/coverage/lines.json \
    --filter '(app|backends|core|formats|hamiltonian|io|solvers|spmv)/' build/thorough/coverage &&
    scripts/coverage.py build/thorough/coverage/lines.json
}
tidy() {
  local work=build/thorough/tidy
  cmake -S . -B $work -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCISOLVE_CUDA=OFF \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCISOLVE_TESTS=OFF -DCISOLVE_BENCH=OFF \
    -DCISOLVE_INSTRUCTION_SETS= "${together[@]}" || return 1
  mkdir -p $work/omp && ln -sf "$(find /usr/lib/llvm-* -name omp.h | tail -1)" $work/omp
  find $work -path '*/Unity/*.cxx' ! -path '*cisolve_cpu*' -print0 |
    xargs -0 -n 1 -P "$jobs" "${CLANG_TIDY:-clang-tidy}" -p $work --quiet \
      --extra-arg=-isystem$PWD/$work/omp
}
benchmarks() {
  configured_build benchmarks -DCISOLVE_BENCH=ON -DCISOLVE_TESTS=OFF || return 1
  local bench=build/thorough/benchmarks/bench failed=0
  smoke() { echo "== $*"; timeout 300 "$bench/$1" "${@:2}" || { echo "FAILED: $*"; failed=1; }; }
  smoke ci_matrix_bench tests/data/h2o_631g_frozen_core.fcidump 2
  smoke iteration_bench --generate generate:molecule,orbitals=8,electrons=8 --format csr
  smoke features_bench --generate generate:ci,rows=20000
  smoke field_bench --backend cpu --rows 20000 --per-row 50
  smoke hard_spectra_bench --data tests/data/hard --problems 1
  return $failed
}

faults() { # PYTHON: with numpy and h5py
  configured_build faults -DCISOLVE_CUDA=OFF -DCISOLVE_TESTS=ON || return 1
  "${PYTHON:-python3}" bench/faults.py build/thorough/faults/cisolve \
    --library build/thorough/faults/lib/faults.so &&
    "${PYTHON:-python3}" bench/select_faults.py build/thorough/faults/cisolve
}

debian() {
  CISOLVE_BUILD_FOLDER=build/thorough/debian CISOLVE_JOBS=$jobs ./bootstrap.sh deb &&
    scripts/check_deb.sh build/thorough/debian/*.deb
}

wheel() {
  local work=build/thorough/wheel
  rm -rf $work
  "${PYTHON:-python3}" -m venv $work/venv && $work/venv/bin/pip install -q build &&
    $work/venv/bin/python -m build --sdist --outdir $work . &&
    mkdir $work/sources && tar -C $work/sources --strip-components 1 -xf $work/cisolve-*.tar.gz &&
    (cd $work/sources &&
      CMAKE_BUILD_PARALLEL_LEVEL=$jobs scripts/wheel.sh -Ccmake.define.CISOLVE_CUDA=OFF) &&
    scripts/check_wheel.sh $work/sources/build/wheel
}

failed=()
for step in "${steps[@]}"; do
  [[ " ${all[*]} " == *" $step "* ]] ||
    { echo "thorough.sh: no step $step; there are: ${all[*]}" >&2; exit 1; }
done
for step in "${steps[@]}"; do
  begun=$SECONDS
  if "$step" >"build/thorough/$step.log" 2>&1; then how=passed; else how=FAILED; failed+=("$step"); fi
  echo "$step: $how, $((SECONDS - begun)) s, build/thorough/$step.log"
done
[ ${#failed[@]} -eq 0 ]
