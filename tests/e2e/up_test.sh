#!/usr/bin/env bash
# deploy/up.sh as a user runs it: a first run, a second one on the same state, and what it refuses. Prints `ok NAME` or `not ok NAME`.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/build/release/bin
work=$(mktemp -d)
server_pid=''
cleanup() {
  [[ -z $server_pid ]] || { kill "$server_pid" && wait "$server_pid"; } 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

check() { # NAME COMMAND…
  local name=$1
  shift
  if "$@" >"$work/check.log" 2>&1; then
    printf 'ok %s\n' "$name"
  else
    printf 'not ok %s\n' "$name"
    cat "$work/check.log"
    tail -n 40 "$work"/*.out
  fi
}
up() { "$root/deploy/up.sh" --once --data "$work/state" --grpc-port 0 --http-port 0; }
exits_with() { # STATUS COMMAND…
  local wanted=$1 got=0
  shift
  "$@" || got=$?
  [[ $got == "$wanted" ]] || { printf 'exit status %s, wanted %s\n' "$got" "$wanted" && return 1; }
}
has() { grep -Eq -- "$1" "$2" || { printf 'no match for %s in %s\n' "$1" "$2" && return 1; }; }

check up_refuses_an_unknown_argument exits_with 2 "$root/deploy/up.sh" --nonsense
check up_refuses_a_bad_port exits_with 2 "$root/deploy/up.sh" --grpc-port 65536
check up_explains_itself exits_with 0 "$root/deploy/up.sh" --help

up >"$work/first.out" 2>&1
first=$?
check first_run_succeeds [ "$first" = 0 ]
check it_prints_the_number_with_its_unit has '[0-9.]+ GB/s' "$work/first.out"
check it_prints_the_interval has '% interval [0-9.]+ – [0-9.]+ GB/s' "$work/first.out"
check it_prints_a_verdict has 'SUPPORTED|REFUTED|INCONCLUSIVE' "$work/first.out"
check it_prints_chinese_and_english has '单向拷贝' "$work/first.out"
check it_prints_the_command_that_repeats_the_run has 'benchwire rerun --here jobs/[0-9a-z]+' "$work/first.out"
check it_prints_the_address has 'http://127.0.0.1:[0-9]+/digests/[0-9]{4}-' "$work/first.out"
check it_leaves_nothing_running exits_with 1 pgrep -f -- "--data $work/state"

up >"$work/second.out" 2>&1
second=$?
check second_run_succeeds [ "$second" = 0 ]
check second_run_publishes_edition_2 has 'dition 2|editions/2|第 2 版' "$work/second.out"

# What is stored is found again by a server of its own.
"$bin/benchwire-server" --data "$work/state" --grpc-port 0 --http-port 0 >"$work/server.out" 2>"$work/server.log" &
server_pid=$!
until [[ -s $work/server.out ]] || ! kill -0 "$server_pid"; do sleep 0.1; done
BENCHWIRE_SERVER=$(sed -n 's/.* grpc=\([^ ]*\).*/\1/p' "$work/server.out")
export BENCHWIRE_SERVER
check a_second_server_on_the_same_data_is_refused exits_with 1 "$bin/benchwire-server" --data "$work/state" --grpc-port 0 --http-port 0
"$bin/benchwire" --json jobs ls >"$work/jobs.out"
check both_jobs_are_found_after_a_restart [ "$(wc -l <"$work/jobs.out")" = 2 ]
check the_digest_is_found_after_a_restart "$bin/benchwire" digests show today
job=$(sed -n 's/.*rerun --here \(jobs\/[0-9a-z]*\).*/\1/p' "$work/second.out" | head -n 1)
"$bin/benchwire" --json jobs show "$job" >"$work/job.json"
check the_published_command_repeats_the_run "$bin/benchwire" --json rerun --here "$job"
check the_job_file_repeats_it_without_a_server env BENCHWIRE_SERVER=127.0.0.1:1 "$bin/benchwire" --json rerun --here "$work/job.json"
