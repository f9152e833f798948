#!/usr/bin/env bash
# The layout of the sources, by clang-format 14 and .clang-format:
#
#   scripts/format.sh            lays out every C++ and CUDA file
#   scripts/format.sh --check    changes nothing; lists what it would change, and fails then
#
# Needs clang-format-14, the one of Debian 12: other versions differ in places.
set -euo pipefail
cd "$(dirname "$0")/.."
format=$(command -v clang-format-14 || command -v clang-format) ||
  { echo "format.sh: clang-format is needed (apt-get install clang-format-14)" >&2; exit 1; }
if ! "$format" --version | grep -q "version 14\."; then
  echo "format.sh: $("$format" --version): expected version 14" >&2
  exit 1
fi
case ${1:-} in
  "") what=(-i) ;;
  --check) what=(--dry-run -Werror) ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 1 ;;
esac
git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 "$format" "${what[@]}"
