#!/usr/bin/env bash
# Builds the documentation as a site into build/site; a dead link is an error. Needs MkDocs (Debian:
# apt-get install mkdocs). `scripts/site.sh serve` shows it in a browser while pages change.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v mkdocs >/dev/null || { echo "site.sh: MkDocs is needed (apt-get install mkdocs)" >&2; exit 1; }
if [ "${1:-build}" = serve ]; then
  exec mkdocs serve
fi
mkdocs build --strict --quiet
echo "Built build/site/index.html"
