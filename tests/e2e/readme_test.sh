#!/usr/bin/env bash
# Runs the `sh` blocks of README.md, in order, in one shell, against a server and a worker of its own. Prints `ok NAME` or `not ok NAME`.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/build/release/bin
work=$(mktemp -d)
pids=()
cleanup() {
  [[ ! -e $work/worker.pid ]] || xargs kill <"$work/worker.pid" 2>/dev/null
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
  rm -rf "$work"
}
trap cleanup EXIT

"$bin/benchwire-server" --data "$work/state" --grpc-port 0 --http-port 0 >"$work/ready" 2>"$work/server.log" &
pids+=($!)
until [[ -s $work/ready ]] || ! kill -0 "${pids[0]}"; do sleep 0.1; done
BENCHWIRE_SERVER=$(sed -n 's/.* grpc=\([^ ]*\).*/\1/p' "$work/ready")
BENCHWIRE_HTTP=$(sed -n 's/.* http=\([^ ]*\).*/\1/p' "$work/ready")
export BENCHWIRE_SERVER BENCHWIRE_HTTP
export XDG_STATE_HOME=$work/state-home
"$bin/benchwire-worker" --name first >"$work/first.log" 2>&1 &
pids+=($!)
until "$bin/benchwire" workers show first >/dev/null 2>&1; do sleep 0.2; done

# Each block says where it is, so that a failure is found.
awk '/^```sh$/ {block = 1; printf "echo \"# README.md line %d\"\n", NR; next} /^```$/ {block = 0} block' "$root/README.md" >"$work/commands.sh"
blocks=$(grep -c '^echo "# README' "$work/commands.sh")
sed -i "s|\$PWD/build/release/bin|$bin|" "$work/commands.sh"
printf 'jobs -p > "%s/worker.pid"\n' "$work" >>"$work/commands.sh"
if [[ $blocks -ge 6 ]] && (cd "$work" && bash -euo pipefail commands.sh) >"$work/out" 2>&1; then
  printf 'ok every_command_of_the_readme (%s blocks)\n' "$blocks"
else
  printf 'not ok every_command_of_the_readme\n'
  tail -n 60 "$work/out"
fi
