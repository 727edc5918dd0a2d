#!/usr/bin/env bash
# C++ is laid out as .clang-format says. To mend: git ls-files '*.cc' '*.h' '*.cu' | xargs clang-format -i
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."
git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' '*.cu' '*.cuh' |
  xargs -0 -r -n 20 -P "$(nproc)" clang-format --dry-run -Werror
