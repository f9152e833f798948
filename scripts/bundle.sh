#!/usr/bin/env bash
# Packs the programs of a build folder, with the shared libraries they need, into one archive that
# runs on another Linux machine of the same processor family, a remote GPU machine for instance:
#
#   scripts/bundle.sh BUILD_FOLDER OUTPUT.tar.gz [PROGRAM...]
#
# PROGRAMs are paths below the build folder; without them: cisolve, all tests, all benchmarks.
# In the archive: the programs, lib/ with their libraries (found by $ORIGIN/lib; of libcisolve_cpu.so
# one for every instruction set), and tests/data, tests/fuzz/corpus, configs and docs, where tests
# find them by CISOLVE_TEST_DATA and CISOLVE_PROGRAM.
# Left to the target machine: libc, libm, the loader, the CUDA libraries and those of MPI.
# Needs patchelf. The build must not be for one processor alone (CISOLVE_NATIVE).
set -euo pipefail

if [ $# -lt 2 ]; then
  sed -n '2,13s/^# \{0,1\}//p' "$0"
  exit 1
fi
command -v patchelf >/dev/null || { echo "bundle.sh: patchelf is needed (apt-get install patchelf)"; exit 1; }
build=$1
if grep -qiE '^CISOLVE_NATIVE:[A-Z]+=(ON|1|TRUE|YES|Y)$' "$build/CMakeCache.txt"; then
  echo "bundle.sh: $build is compiled for this machine's processor alone (CISOLVE_NATIVE)" >&2
  exit 1
fi
output=$2
shift 2
source_folder=$(cd "$(dirname "$0")/.." && pwd)

programs=("$@")
if [ ${#programs[@]} -eq 0 ]; then
  while IFS= read -r file; do programs+=("${file#"$build"/}"); done < <(
    { ls "$build/cisolve"; find "$build/tests" "$build/bench" -maxdepth 1 -type f -perm -u+x; } | sort)
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/lib" "$stage/tests/fuzz" "$(dirname "$output")"
left_out='^(libc|libm|libpthread|libdl|librt|libresolv|ld-linux.*|libcudart|libcublas|libcublasLt|libcusparse|libcusolver|libnvJitLink|libcuda)\.so'

for program in "${programs[@]}"; do
  cp "$build/$program" "$stage/"
  strip --strip-unneeded "$stage/$(basename "$program")"
  patchelf --set-rpath '$ORIGIN/lib' "$stage/$(basename "$program")"
  ldd "$build/$program" | awk '$3 ~ /^\// {print $1, $3}'
done | { cat; echo "libcisolve_cuda.so $build/lib/libcisolve_cuda.so"; echo "libcisolve_mpi.so $build/lib/libcisolve_mpi.so"; } | sort -u | while read -r name path; do
  [[ $name =~ $left_out ]] && continue
  [ "$name" = libcisolve_cpu.so ] && continue  # the one that this machine would take
  [ -e "$path" ] || continue  # the module of a build without CUDA, or without MPI
  cp -L "$path" "$stage/lib/$name"
  chmod u+w "$stage/lib/$name"
  patchelf --set-rpath '$ORIGIN' "$stage/lib/$name"
done
[ ! -e "$build/lib/faults.so" ] || cp "$build/lib/faults.so" "$stage/lib/"  # of the tests
(cd "$build/lib" && find . -name libcisolve_cpu.so) | while read -r file; do
  mkdir -p "$stage/lib/$(dirname "$file")"
  cp "$build/lib/$file" "$stage/lib/$file"
  rpath='$ORIGIN'
  [ "$file" = ./libcisolve_cpu.so ] || rpath='$ORIGIN:$ORIGIN/../..'  # glibc-hwcaps/SET
  patchelf --set-rpath "$rpath" "$stage/lib/$file"
done
cp -r "$source_folder/tests/data" "$stage/tests/data"
cp -r "$source_folder/tests/fuzz/corpus" "$stage/tests/fuzz/corpus"
cp -r "$source_folder/configs" "$source_folder/docs" "$stage/"
tar -C "$stage" -czf "$output" .
echo "$output: $(du -h "$output" | cut -f1), ${#programs[@]} programs, $(find "$stage/lib" -type f | wc -l) libraries"
