#!/usr/bin/env bash
# Python is clean for ruff and mypy --strict, at the versions of requirements.txt, installed under build/.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
venv=build/lint/venv
if ! cmp -s tests/lint/requirements.txt "$venv/installed"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/lint/requirements.txt
  cp tests/lint/requirements.txt "$venv/installed"
fi
mapfile -d '' sources < <(git ls-files -z --cached --others --exclude-standard '*.py')
"$venv/bin/ruff" check --quiet --config tests/lint/ruff.toml "${sources[@]}"
"$venv/bin/ruff" format --quiet --config tests/lint/ruff.toml --diff "${sources[@]}"
# A folder at a time: scripts of different folders may share a name.
while IFS= read -r folder; do
  MYPYPATH=$folder "$venv/bin/mypy" --strict --no-error-summary --explicit-package-bases --cache-dir build/lint/mypy "$folder"/*.py
done < <(printf '%s\n' "${sources[@]%/*}" | sort -u)
