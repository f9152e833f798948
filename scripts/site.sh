#!/usr/bin/env bash
# Builds the documentation as a site into build/site. A dead link is an error, and so are a docstring
# that contradicts its signature and, where Doxygen is found, a public C++ member without a comment.
# `scripts/site.sh serve` shows the site in a browser while pages change.
#
# Needs MkDocs, mkdocstrings and Black (Debian: apt-get install mkdocs mkdocstrings
# mkdocstrings-python-handlers black) of the Python that PYTHON names, of python3 or of the system's;
# the exit status is 5 without them.
set -euo pipefail
cd "$(dirname "$0")/.."
needed="import mkdocs, mkdocstrings_handlers.python, black"
for python in "${PYTHON:-python3}" /usr/bin/python3; do
  if "$python" -c "$needed" 2>/dev/null; then found=$python && break; fi
done
if [ -z "${found:-}" ]; then
  echo "site.sh: MkDocs, mkdocstrings and Black are needed (apt-get install mkdocs mkdocstrings" \
    "mkdocstrings-python-handlers black)" >&2
  exit 5
fi
if [ "${1:-build}" = serve ]; then
  exec "$found" -m mkdocs serve
fi
mkdir -p build
if ! "$found" -m mkdocs build --strict >build/site.log 2>&1; then
  grep -v -E "INFO|^  - " build/site.log >&2
  exit 1
fi
echo "Built build/site/index.html"
