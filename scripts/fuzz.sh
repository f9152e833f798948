#!/usr/bin/env bash
# Looks for inputs that crash, hang or exhaust the readers of files, with clang's libFuzzer under the
# address and undefined-behaviour sanitizers:
#
#   scripts/fuzz.sh MINUTES [FORMAT...]
#
# so many minutes for each format, one after the other, without FORMATs all of tests/fuzz/corpus.
# Each begins with that corpus and goes on with what earlier runs found in build/fuzz/corpus. An
# input that is a finding is left in build/fuzz/findings: mend the reader, and put the input into
# tests/fuzz/corpus. The exit status is 1 then, and where a fuzzer did not run. Environment:
#   CISOLVE_FUZZ_RUNS     inputs of each format after which it ends sooner; default: none
#   CISOLVE_JOBS          compilers at once; default 2
set -euo pipefail

if [ $# -lt 1 ] || ! [[ $1 =~ ^[0-9]+$ ]]; then
  sed -n '2,13s/^# \{0,1\}//p' "$0"
  exit 1
fi
cd "$(dirname "$0")/.."
command -v clang++ >/dev/null || { echo "fuzz.sh: clang++ is needed, with libFuzzer (apt-get install clang)"; exit 1; }
seconds=$(($1 * 60))
shift
formats=("$@")
[ ${#formats[@]} -gt 0 ] || formats=(fcidump spinor_fcidump matrix_market npz npy yaml hdf5_csr hdf5_packed determinants strings hdf5_determinants trexio checkpoint)

cmake --preset fuzz >/dev/null
cmake --build build/fuzz -j "${CISOLVE_JOBS:-2}" --target "${formats[@]/#/fuzz_}"
mkdir -p build/fuzz/findings
status=0
for format in "${formats[@]}"; do
  mkdir -p "build/fuzz/corpus/$format"
  log=build/fuzz/$format.log
  case $format in hdf5_* | trexio | checkpoint) longest=40000 ;; *) longest=4096 ;; esac
  touch build/fuzz/begun
  # Limits of one input: 25 s, 2 GB, and 1 GB for an allocation. A leak is a finding, too.
  build/fuzz/tests/fuzz/fuzz_"$format" -max_total_time="$seconds" -runs="${CISOLVE_FUZZ_RUNS:--1}" \
    -timeout=25 -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=$longest -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$format-" \
    "build/fuzz/corpus/$format" "tests/fuzz/corpus/$format" >"$log" 2>&1 || {
    status=1
    if [ -n "$(find build/fuzz/findings -name "$format-*" -newer build/fuzz/begun)" ]; then
      echo "$format: a finding; see $log and build/fuzz/findings"
    else
      echo "$format: did not run; see $log"
    fi
  }
  echo "$format: $(awk '/number_of_executed_units/ {print $2}' "$log") inputs," \
    "$(awk '/average_exec_per_sec/ {print $2}' "$log") a second"
done
exit $status
