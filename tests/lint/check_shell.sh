#!/usr/bin/env bash
# Shell scripts, by name or by first line, are clean for shellcheck.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  [[ -f $file ]] || continue
  IFS= read -r first <"$file" 2>/dev/null || true
  if [[ $file == *.sh || ${first:-} =~ ^#!.*[/\ ](ba)?sh ]]; then printf '%s\0' "$file"; fi
done 2>/dev/null | xargs -0 -r shellcheck --external-sources
