#!/usr/bin/env bash
# tests/lib: what a script prints and how it ends becomes the right counts, and so does a report of ctest.
set -uo pipefail
# shellcheck source=tests/lib/checks.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lib/checks.sh"
lib=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../lib" && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir -p "$box/build/tests"

# counts_of BODY: `passed failed skipped` of a script with this body.
counts_of() (
  printf '#!/bin/bash\n%s\n' "$1" >"$box/script"
  chmod +x "$box/script"
  root=$box
  # shellcheck source=tests/lib/common.sh
  . "$lib/common.sh"
  run_script "$box/script" >"$box/shown"
  echo "$passed $failed $skipped"
)
expect_eq "checks are counted" "2 0 1" "$(counts_of 'echo ok a; echo noise; echo ok b; echo "ok c # SKIP no GPU"')"
expect_eq "a failing check is counted" "1 1 0" "$(counts_of 'echo ok a; echo not ok b; echo why; exit 1')"
expect_has "and what it said is shown" "why" "$(cat "$box/shown")"
expect_eq "a script that fails after good checks has failed" "1 1 0" "$(counts_of 'echo ok a; exit 3')"
expect_has "and its exit status is shown" "exit 3" "$(cat "$box/shown")"
expect_eq "a script that checks nothing has failed" "0 1 0" "$(counts_of 'echo done')"

# totals_of TESTCASE…
totals_of() {
  printf '<testsuite>%s</testsuite>' "$*" >"$box/report.xml"
  python3 "$lib/junit.py" "$box/report.xml" | tail -n 1
}
expect_eq "ctest: passed" "1 0 0" "$(totals_of '<testcase name="a" status="run"/>')"
expect_eq "ctest: failed" "0 1 0" "$(totals_of '<testcase name="a" status="fail"><failure message="Failed"/></testcase>')"
skip='<testcase name="a" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'
expect_eq "ctest: skipped" "0 0 1" "$(totals_of "$skip")"
lost='<testcase name="a" status="notrun"><skipped message="Unable to find executable"/></testcase>'
expect_eq "ctest: a program that is not there has failed" "0 1 0" "$(totals_of "$lost")"
finish
