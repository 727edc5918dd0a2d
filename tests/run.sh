#!/usr/bin/env bash
# Runs the tests, with all their set-up; see --help. Rerun at will: what is built and installed is kept under build/.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=tests/lib/common.sh
. "$root/tests/lib/common.sh"

usage() {
  cat <<'END'
Usage: tests/run.sh [PART…]
       tests/run.sh bench PART [--json FILE]
       tests/run.sh faults ARGUMENT…

  lint         layout, names, include directions, file sizes, scripts, protos (tests/lint)
  unit         unit tests, under the address and undefined-behaviour sanitizers
  conformance  the suites that every engine must pass, likewise
  integration  server, worker and command line together, likewise
  e2e          the release build as a user has it (tests/e2e/*.sh)
  faults       crashes, lost messages, full disks and jumping clocks, simulated and with the real binaries
               (tests/faults/run.sh); takes the rest of the line where that begins with `-`, such as --long or --only NAME
  tidy         clang-tidy and clang's thread-safety analysis over all sources (a quarter of an hour on 2 cores)
  tsan         the tests of threads, under the thread sanitizer
  bench PART   figures of one part (tests/bench/PART/run.sh); takes the rest of the line

No PART: all but tidy, tsan and bench. Packages that are missing are installed first (deploy/install_packages.sh server tests).
The last line is `N passed, N failed`, followed by `, N skipped` where some were.
Environment: BENCHWIRE_LINT_SINCE=REF  clang-tidy looks only at sources changed since this commit.
Exit: 0 all passed; 1 something failed, or nothing ran; 2 wrong use.
END
}

part_lint() {
  local check result before=$passed
  need_packages
  # shellcheck disable=SC2016 # expanded by the inner shell
  printf '%s\0' "$root"/tests/lint/check_* |
    xargs -0 -P "$jobs" -I{} bash -c '"$1" >"$2/${1##*/}.log" 2>&1; echo $? >"$2/${1##*/}.exit"' lint {} "$logs"
  for check in "$root"/tests/lint/check_*; do
    check=${check##*/}
    result=$(<"$logs/$check.exit")
    cat "$logs/$check.log"
    if [[ $result == 0 ]]; then count 1 0 0; else say "  FAILED tests/lint/$check" && count 0 1 0; fi
  done
  say "  tests/lint/check_*: $(totals $((passed - before)) "$failed" 0)"
  for check in "$root"/tests/lint/*_test.py; do run_script "$check"; done
}

# Parts made of C++ tests with a label of the part's name, and of scripts *_test.sh in its folder.
part_native() {
  local part script
  need_packages
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=0
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  say "== $*: sanitizers address, undefined"
  if build asan; then
    for part in "$@"; do run_ctest "$part" asan "^$part(\.tsan)?$"; done
  fi
  for part in "$@"; do
    while IFS= read -r -d '' script; do run_script "$script"; done \
      < <(find "$root/tests/$part" -name '*_test.sh' -print0 2>/dev/null | sort -z)
  done
}

# Without address randomization where that may be turned off: the sanitizer of GCC 12 refuses a kernel that randomizes more
# bits than it knows of.
part_tsan() {
  need_packages
  export TSAN_OPTIONS=suppressions=$root/tests/tsan.supp:halt_on_error=1:second_deadlock_stack=1
  if setarch -R true 2>/dev/null; then build_prefix=(setarch -R); fi
  if build tsan tsan_tests; then run_ctest tsan tsan '\.tsan$'; fi
  build_prefix=()
}

part_tidy() {
  need_packages
  if "$root/tests/lint/clang_tidy.sh"; then count 1 0 0; else say "  FAILED tests/lint/clang_tidy.sh" && count 0 1 0; fi
}

part_e2e() {
  local script scripts=("$root"/tests/e2e/*.sh)
  [[ -e ${scripts[0]} ]] || { say "  there is no tests/e2e/*.sh" && return; }
  need_packages
  build release || return
  for script in "${scripts[@]}"; do run_script "$script"; done
}

part_faults() {
  [[ -e $root/tests/faults/run.sh ]] || { say "  there is no tests/faults/run.sh" && return; }
  need_packages
  build release || return
  if (($# == 0)); then
    run_script "$root/tests/faults/run.sh"
  elif "$root/tests/faults/run.sh" "$@"; then
    count 1 0 0
  else
    count 0 1 0
  fi
}

# bench PART [ARGUMENT…]
part_bench() {
  local script=$root/tests/bench/${1:-}/run.sh known
  if [[ -z ${1:-} || ! -e $script ]]; then
    known=$(cd "$root/tests/bench" 2>/dev/null && for part in */run.sh; do [[ -e $part ]] && printf ' %s' "${part%/run.sh}"; done)
    printf "run.sh: bench has no part '%s'; there are:%s\n" "${1:-}" "${known:- none}" >&2
    exit 2
  fi
  need_packages
  build release || return
  if "$script" "${@:2}"; then count 1 0 0; else count 0 1 0; fi
}

# Every argument is checked before anything runs.
parts=()
bench=()
faults=()
while (($# > 0)); do
  case $1 in
    -h | --help) usage && exit 0 ;;
    faults)
      parts+=(faults)
      if [[ ${2:-} == -* ]]; then
        faults=("${@:2}")
        break
      fi
      ;;
    lint | tidy | unit | conformance | integration | tsan | e2e) parts+=("$1") ;;
    bench)
      shift
      bench=(bench "$@")
      break
      ;;
    *) printf "run.sh: no part '%s'\n" "$1" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done
if ((${#parts[@]} + ${#bench[@]} == 0)); then
  parts=(lint unit conformance integration e2e)
  if [[ -e $root/tests/faults/run.sh ]]; then parts+=(faults); fi
fi

mkdir -p "$logs"
export LC_ALL=C.UTF-8
wanted=" ${parts[*]:-} "
native=()
for part in unit conformance integration; do [[ $wanted != *" $part "* ]] || native+=("$part"); done
if [[ $wanted == *" lint "* ]]; then say "== lint" && part_lint; fi
if ((${#native[@]} > 0)); then part_native "${native[@]}"; fi
if [[ $wanted == *" tidy "* ]]; then say "== tidy" && part_tidy; fi
if [[ $wanted == *" tsan "* ]]; then say "== tsan" && part_tsan; fi
if [[ $wanted == *" e2e "* ]]; then say "== e2e" && part_e2e; fi
if [[ $wanted == *" faults "* ]]; then say "== faults" && part_faults "${faults[@]}"; fi
if ((${#bench[@]} > 0)); then say "== ${bench[*]}" && part_bench "${bench[@]:1}"; fi
totals "$passed" "$failed" "$skipped"
((failed == 0 && passed > 0))
