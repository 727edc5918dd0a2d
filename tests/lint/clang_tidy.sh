#!/usr/bin/env bash
# C++ is clean for clang-tidy (.clang-tidy) and clang's thread-safety analysis. BENCHWIRE_LINT_SINCE=REF: only sources changed
# since that commit; a changed header does not count.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
mkdir -p build/lint
cmake --preset tidy >build/lint/tidy_configure.log 2>&1 || { cat build/lint/tidy_configure.log && exit 1; }
# Generated headers are needed, objects are not: everything that must be there before a target's first source is compiled.
ninja -C build/tidy -t targets all | sed -n 's/^\(cmake_object_order_depends_target_[^:]*\):.*/\1/p' |
  xargs -r ninja -C build/tidy >build/lint/tidy_generate.log 2>&1 || { tail -n 40 build/lint/tidy_generate.log && exit 1; }
list=(git ls-files --cached --others --exclude-standard)
if [[ -n ${BENCHWIRE_LINT_SINCE:-} ]]; then list=(git diff --name-only --diff-filter=d "$BENCHWIRE_LINT_SINCE" --); fi
# run-clang-tidy takes regular expressions of the absolute paths in compile_commands.json.
mapfile -t sources < <("${list[@]}" '*.cc' | sed "s|.*|^$root/&\$|; s|[.+]|\\\\&|g")
((${#sources[@]} > 0)) || exit 0
run-clang-tidy -quiet -p build/tidy -j "$(nproc)" "${sources[@]}" >build/lint/tidy.log 2>&1 || {
  sed 's/\x1b\[[0-9;]*m//g' build/lint/tidy.log | grep -vE '^([0-9]+ .*generated\.|clang-tidy|Suppressed |Use -header-filter)'
  exit 1
}
