#!/usr/bin/env bash
# The protos follow proto/buf.yaml, at the version of buf in package.json, installed under build/. buf resolves imports in
# its workspace only, so it reads a copy that holds google/api beside our protos.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
googleapis=/usr/share/gocode/src/github.com/gogo/googleapis
tools=$root/build/lint/buf
stage=$root/build/lint/proto
if ! cmp -s "$root/tests/lint/package.json" "$tools/installed"; then
  rm -rf "$tools"
  mkdir -p "$tools"
  cp "$root/tests/lint/package.json" "$tools"
  npm --prefix "$tools" install --silent --no-audit --no-fund --no-package-lock
  cp "$root/tests/lint/package.json" "$tools/installed"
fi
rm -rf "$stage"
mkdir -p "$stage/google/api"
cp -r "$root/proto/." "$stage"
cp "$googleapis"/google/api/{annotations,http}.proto "$stage/google/api"
cd "$stage"
"$tools/node_modules/.bin/buf" lint --path benchwire
