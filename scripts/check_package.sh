#!/usr/bin/env bash
# The installed package as other programs use it: installs a build folder's into an empty folder,
# builds the examples against that alone and runs them; of water four energies are known.
#
#   scripts/check_package.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH
cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
for printed in man/man1/cisolve.1 bash-completion/completions/cisolve \
  zsh/site-functions/_cisolve fish/vendor_completions.d/cisolve.fish; do
  [ -s "$work/prefix/share/$printed" ] || { echo "$printed is not installed"; exit 1; }
done
cmake -S examples/library -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release >"$work/log" &&
  cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }

"$work/build/lowest" tests/data/h2o_631g_frozen_core.fcidump 4 | tee "$work/found"
# exact_ms0 of that file, the first four
awk '/^h2o_631g_frozen_core/ {here = 1} here && /exact_ms0/ {print; exit}' tests/data/references.yaml |
  grep -oE -- '-[0-9]+\.[0-9]+' | head -4 >"$work/expected"
[ "$(wc -l <"$work/expected")" -eq 4 ]
grep -oE -- '^-[0-9]+\.[0-9]+' "$work/found" | paste - "$work/expected" |
  awk '{difference = $1 - $2; if (difference < 0) difference = -difference
        if (difference < 1e-9) good++; else print "found " $1 ", expected " $2}
       END {exit good != 4}'
grep -q '^converged' "$work/found"
for example in matrix product integrals determinants; do "$work/build/$example"; done
# By pkg-config, from wherever the package was installed.
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name cisolve.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # the flags are meant to be split
"${CXX:-c++}" -std=c++20 -o "$work/by_pkg_config" examples/library/lowest.cpp \
  $(pkg-config --cflags --libs cisolve)
"$work/by_pkg_config" tests/data/h2o_631g_frozen_core.fcidump |
  grep -q -- "^$(head -1 "$work/found" | cut -c1-13)"
# A program with a communicator of its own, where the library was built with MPI, too.
if [ -x "$work/build/ranks" ] && ls "$work"/prefix/lib*/cisolve/libcisolve_mpi.so >/dev/null 2>&1; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  mpirun --oversubscribe -n 2 "$work/build/ranks" tests/data/h2o_631g_frozen_core.fcidump |
    tee "$work/ranks"
  grep -q -- "^$(head -1 "$work/found" | cut -c1-13).*converged" "$work/ranks"
fi
# libgomp's threads sleep soon in such a program, also where it is linked to libgomp itself.
cmake -S examples/library -B "$work/linked" -DCMAKE_PREFIX_PATH="$work/prefix" \
  "-DCMAKE_CXX_FLAGS=-fopenmp -Wl,--no-as-needed" >"$work/log" &&
  cmake --build "$work/linked" --target lowest >>"$work/log" || { cat "$work/log"; exit 1; }
for build in build linked; do
  spins=$( (env -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY -u KMP_BLOCKTIME OMP_DISPLAY_ENV=verbose \
    "$work/$build/lowest" 2>&1 || true) | sed -n "s/.*GOMP_SPINCOUNT = '\([0-9]*\)'.*/\1/p")
  [ "${spins:-1000}" -eq 1000 ] || { echo "threads of a linked program spin $spins turns"; exit 1; }
done
if ldd "$work/prefix/bin/cisolve" | grep -iE 'cuda|cublas|cusparse'; then
  echo "the program is linked to CUDA's libraries"
  exit 1
fi
