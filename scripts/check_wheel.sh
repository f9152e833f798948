#!/usr/bin/env bash
# A wheel as its users have it: installs the one in FOLDER that is for this Python into an empty
# environment, away from the sources, computes the lowest states of water, and looks whether its
# libraries need others that it has not and that not every machine has.
#
#   [PYTHON=python3.12] scripts/check_wheel.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
wheels=$(realpath "$1")
data=$PWD/tests/data/h2o_631g_frozen_core.fcidump
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH PYTHONPATH
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --only-binary cisolve --find-links "$wheels" cisolve
cd "$work"
venv/bin/python - "$data" <<'END'
import sys
import cisolve
found = cisolve.Hamiltonian.from_fcidump(sys.argv[1]).eigenstates(4)
print(sys.version.split()[0], cisolve.__version__, found.status, *found.energies)
assert found.status == "converged" and abs(found.energies[0] + 76.1198505705) < 1e-8
END
command -v readelf >/dev/null || { echo "its libraries are not looked at: there is no readelf"; exit 0; }
packages=$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
find "$packages/cisolve" "$packages/cisolve.libs" -name '*.so*' -type f >files
everywhere='lib(c|m|mvec|dl|rt|resolv|pthread|gcc_s|stdc\+\+|z)\.so|ld-linux'
asked_for='lib(cuda|cublas|cusparse|nv|mpi|petsc|slepc)' # where a GPU, ranks or SLEPc are
xargs readelf -d <files | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u >needed
[ -s needed ]
missing=$(grep -vE "^($everywhere|$asked_for)" needed |
  { grep -vxFf <(xargs -n1 basename <files) || true; })
[ -z "$missing" ] || { echo "the wheel lacks" $missing; exit 1; }
