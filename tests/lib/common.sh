# What the parts of tests/run.sh share: counts, quiet steps, builds. Sourced by run.sh, which sets `root`.
# shellcheck shell=bash
passed=0
failed=0
skipped=0
# shellcheck disable=SC2154 # set by run.sh
logs=$root/build/tests
jobs=$(nproc)

say() { printf '%s\n' "$*"; }

# count PASSED FAILED SKIPPED
count() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# totals PASSED FAILED SKIPPED: the same as words.
totals() {
  printf '%d passed, %d failed' "$1" "$2"
  if (($3 > 0)); then printf ', %d skipped' "$3"; fi
  printf '\n'
}

# step NAME COMMAND…: runs COMMAND silently; shows the end of what it wrote where it fails, and counts that as a failure.
step() {
  local name=$1 log start=$SECONDS
  shift
  log=$logs/${name//[^a-z0-9]/_}.log
  if "$@" >"$log" 2>&1; then
    ((SECONDS - start < 10)) || say "  $name: $((SECONDS - start)) s"
    return 0
  fi
  tail -n 60 "$log"
  say "  $name FAILED; all of it stands in ${log#"$root"/}"
  count 0 1 0
  return 1
}

packages_ready=
# Installs what the tests need, once a run.
need_packages() {
  [[ -n $packages_ready ]] && return
  "$root/deploy/install_packages.sh" server tests || exit 1
  packages_ready=yes
}

# build PRESET [TARGET…]: configures and builds, with ccache where it is installed.
build() {
  local preset=$1 target_flags=()
  shift
  (($# == 0)) || target_flags=(--target "$@")
  if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] && command -v ccache >/dev/null; then
    # Paths relative to the checkout, so that another checkout of the same sources finds the same results.
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
  fi
  step "configure $preset" cmake -S "$root" --preset "$preset" || return 1
  step "build $preset" "${build_prefix[@]}" cmake --build "$root/build/$preset" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}" \
    "${target_flags[@]}"
}
build_prefix=()

# run_ctest NAME PRESET LABEL…: runs the tests that have every LABEL (regular expressions).
run_ctest() {
  local name=$1 preset=$2 label flags=() report=$logs/$1.xml result
  shift 2
  for label in "$@"; do flags+=(-L "$label"); done
  rm -f "$report"
  "${build_prefix[@]}" ctest --test-dir "$root/build/$preset" "${flags[@]}" -j "$jobs" --timeout 300 --no-tests=ignore \
    --output-junit "$report" --test-output-size-failed 65536 >"$logs/$name.log" 2>&1
  if [[ ! -s $report ]]; then
    tail -n 40 "$logs/$name.log"
    say "  $name FAILED: ctest wrote no report"
    count 0 1 0
    return 1
  fi
  if ! result=$(python3 "$root/tests/lib/junit.py" "$report"); then
    say "  $name FAILED: unreadable ${report#"$root"/}"
    count 0 1 0
    return 1
  fi
  if [[ $result == "0 0 0" ]]; then say "  $name: no tests" && return; fi
  show_and_count "$name" "$(sed '$d' <<<"$result")" "$(tail -n 1 <<<"$result")"
}

# show_and_count NAME OUTPUT "PASSED FAILED SKIPPED"
show_and_count() {
  local -a counts
  read -ra counts <<<"$3"
  [[ -z $2 ]] || say "$2"
  say "  $1: $(totals "${counts[@]}")"
  count "${counts[@]}"
}

# run_script SCRIPT [ARGUMENT…]: runs a program that prints `ok NAME`, `ok NAME # SKIP WHY` or `not ok NAME` for each of its
# checks, for up to 15 minutes, and counts these lines. Failing otherwise, or checking nothing, is a failure too.
run_script() {
  local script=$1 name=${1#"$root"/} log output result ok not_ok skip
  log=$logs/${name//[^a-zA-Z0-9]/_}.log
  shift
  timeout --kill-after=30 900 "$script" "$@" >"$log" 2>&1
  result=$?
  skip=$(grep -cE '^ok .* # SKIP' "$log")
  ok=$(($(grep -cE '^ok ' "$log") - skip))
  not_ok=$(grep -cE '^not ok ' "$log")
  output=
  if ((not_ok == 0 && result != 0)); then
    output="FAILED $name: exit $result"
    ((result != 124 && result != 137)) || output="FAILED $name: ran longer than 15 minutes"
    not_ok=1
  elif ((ok + skip + not_ok == 0)); then
    output="FAILED $name: checked nothing"
    not_ok=1
  fi
  if ((not_ok > 0)); then output="$(grep -vE '^ok ' "$log")${output:+$'\n'}$output"; fi
  show_and_count "$name" "$output" "$ok $not_ok $skip"
}
