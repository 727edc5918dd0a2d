# For shell tests: each check prints one line, `ok NAME` or `not ok NAME`, which tests/run.sh counts. Source it; call
# `finish` last.
# shellcheck shell=bash
checks_failed=0

ok() { printf 'ok %s\n' "$1"; }

# not_ok NAME WHY…
not_ok() {
  checks_failed=$((checks_failed + 1))
  printf 'not ok %s\n' "$1"
  printf '%s\n' "${@:2}" | sed 's/^/    /'
}

skip() { printf 'ok %s # SKIP %s\n' "$1" "$2"; }

# expect_eq NAME WANT GOT
expect_eq() {
  if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1" "want: $2" "got:  $3"; fi
}

# expect_has NAME PART TEXT: TEXT contains PART.
expect_has() {
  if [[ $3 == *"$2"* ]]; then ok "$1"; else not_ok "$1" "want a text with: $2" "got: $3"; fi
}

finish() { exit $((checks_failed > 0)); }
