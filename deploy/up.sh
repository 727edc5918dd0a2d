#!/usr/bin/env bash
# From nothing to a published number: installs, builds, starts, measures this machine, publishes. See --help.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/build/release/bin

usage() {
  cat <<'END'
Usage: deploy/up.sh [--once] [--data DIR] [--grpc-port N] [--http-port N]

Installs what is missing (Debian 12), builds Benchwire, starts benchwire-server and one benchwire-worker, measures the
memories of this machine (GPUs where there are some, else host memory between NUMA nodes or cores), writes today's digest
with one entry in Chinese and English whose claim rests on that measurement, publishes and prints it, and serves until Ctrl-C.
A second run on the same day measures again and publishes the next edition.

  --once          end after printing
  --data DIR      where the state is kept; default $XDG_DATA_HOME/benchwire or ~/.local/share/benchwire
  --grpc-port N   default 7411; 0 takes a free one
  --http-port N   default 7480; 0 takes a free one
  --help          this text

Exit: 0 published (and, without --once, stopped by Ctrl-C); 1 a step failed, with the reason; 2 wrong use.
END
}

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'up.sh: %s\n' "$*" >&2
  exit 1
}
wrong_use() {
  printf 'up.sh: %s\n' "$*" >&2
  usage >&2
  exit 2
}

once=false
data=${XDG_DATA_HOME:-${HOME:-}/.local/share}/benchwire
grpc_port=7411
http_port=7480
is_port() { [[ $1 =~ ^[0-9]{1,5}$ ]] && ((10#$1 <= 65535)); }
while (($# > 0)); do
  case $1 in
    --once) once=true ;;
    --data | --grpc-port | --http-port)
      (($# > 1)) || wrong_use "$1 needs a value"
      case $1 in
        --data) data=$2 ;;
        --grpc-port) is_port "$2" || wrong_use "--grpc-port: '$2' is not a port; expected 0 to 65535" && grpc_port=$2 ;;
        --http-port) is_port "$2" || wrong_use "--http-port: '$2' is not a port; expected 0 to 65535" && http_port=$2 ;;
      esac
      shift
      ;;
    -h | --help) usage && exit 0 ;;
    *) wrong_use "unknown argument '$1'" ;;
  esac
  shift
done
[[ $data == /* ]] || data=$PWD/$data

build() {
  local log=$root/build/up.log
  mkdir -p "$root/build"
  cmake -S "$root" --preset release >"$log" 2>&1 || { tail -n 30 "$log" >&2 && die "cmake failed; its output is in $log"; }
  # Quiet where there is nothing to do; otherwise the steps are shown as they go.
  cmake --build "$root/build/release" --target benchwire-server benchwire-worker benchwire benchwire-p2p benchwire-command ||
    die "the build failed; its output is above"
}

server_pid='' worker_pid=''
# shellcheck disable=SC2317 # called by the trap
stop() {
  trap - EXIT INT TERM
  [[ -z $worker_pid ]] || { kill -TERM "$worker_pid" 2>/dev/null && wait "$worker_pid" 2>/dev/null; } || true
  [[ -z $server_pid ]] || { kill -TERM "$server_pid" 2>/dev/null && wait "$server_pid" 2>/dev/null; } || true
}

# Sets server_address and site from the line the server prints when it is ready.
start_server() {
  local ready=$data/server.ready
  : >"$ready"
  "$bin/benchwire-server" --data "$data" --grpc-port "$grpc_port" --http-port "$http_port" \
    >"$ready" 2>>"$data/server.log" &
  server_pid=$!
  until [[ -s $ready ]]; do
    kill -0 "$server_pid" 2>/dev/null || { tail -n 3 "$data/server.log" >&2 && die "the server did not start; its log is $data/server.log"; }
    sleep 0.1
  done
  server_address=$(sed -n 's/.* grpc=\([^ ]*\).*/\1/p' "$ready")
  site=http://$(sed -n 's/.* http=\([^ ]*\).*/\1/p' "$ready")
  export BENCHWIRE_SERVER=$server_address
}

start_worker() {
  local tries
  "$bin/benchwire-worker" --server "$server_address" --work-dir "$data/work" >>"$data/worker.log" 2>&1 &
  worker_pid=$!
  for ((tries = 0; tries < 300; ++tries)); do
    kill -0 "$worker_pid" 2>/dev/null || { tail -n 3 "$data/worker.log" >&2 && die "the worker did not start; its log is $data/worker.log"; }
    if "$bin/benchwire" --json workers ls | jq -se 'any(.[]; .state == "WORKER_STATE_ONLINE" and any(.inventory.runners[]?; .kind == "p2p"))' >/dev/null; then return; fi
    sleep 0.1
  done
  die "the worker did not come online within 30 s; its log is $data/worker.log"
}

# Beyond most caches; the runner labels rows that a cache may have helped.
copy_size=128MiB

# Prints the job's name; progress goes to the terminal.
measure() {
  "$bin/benchwire" submit p2p --name "up.sh: the memories of this machine" --case bw.unidir.write --case bw.local \
    --size "$copy_size" --wait
}

# The row the claim rests on: a copy between two memories, or within one where there is only one.
choose_row() {
  "$bin/benchwire" --json jobs measurements "$1" |
    jq -cs '[.[] | select(.metric == "bandwidth" and .status == "MEASUREMENT_STATUS_OK")]
            | (map(select(.case == "bw.unidir.write")) + map(select(.case == "bw.local")))[0] // empty'
}

# The entry as JSON. $1 job, $2 row.
entry() {
  jq -n --arg job "$1" --argjson row "$2" '
    ($row.labels.backend == "cuda") as $gpu |
    ($row.labels.src + " → " + $row.labels.dst) as $pair |
    {
      title: {
        zh: (if $gpu then "本机 GPU 显存之间的拷贝有多快？" else "本机主机内存之间的拷贝有多快？" end),
        en: (if $gpu then "How fast do the GPUs of this machine copy?" else "How fast does this machine copy host memory?" end)
      },
      body: {
        zh: ("这一条由一次实测写成，没有引用任何人的数字。测试在 `" + $pair + "` 之间做单向拷贝，逐字节校验，取各次样本的中位数，并给出精确的次序统计量区间。"
             + (if $gpu then "" else "\n\n这里测的是**主机内存**，不是 GPU 互连；虚拟机和共享机器上的数值会有波动，区间正是为此而写。" end)),
        en: ("This entry was written from one measurement; it quotes nobody. One-way copies run along `" + $pair
             + "`, every byte is compared with what was sent, and the number is the median of the samples with its exact order-statistic interval."
             + (if $gpu then "" else "\n\nWhat is measured is **host memory**, not a GPU link. On virtual and shared machines the number moves; that is what the interval is for." end))
      },
      category: "GPU",
      tags: ["p2p", "bandwidth", $row.labels.backend],
      claims: [{
        id: "one-way-copy",
        text: {
          zh: ("单向拷贝（" + $pair + "）的带宽高于 1 GB/s。"),
          en: ("A one-way copy (" + $pair + ") moves more than 1 GB/s.")
        },
        selector: {job: $job, metric: $row.metric, case: $row.case, labels: $row.labels, aggregate: "AGGREGATE_MEDIAN"},
        condition: {comparison: "COMPARISON_GREATER", threshold: 1e9, unit: "B/s"}
      }],
      state: "ENTRY_STATE_READY",
      authors: ["deploy/up.sh"]
    }'
}

# Writes the entry of the day, new or changed, and publishes the next edition. $1 day, $2 job.
publish() {
  local day=$1 job=$2 row name=this-machine status=0
  row=$(choose_row "$job")
  [[ -n $row ]] || die "$job has no bandwidth to write about; see: benchwire jobs show $job"
  entry "$job" "$row" >"$data/entry.json"
  "$bin/benchwire" --json digests show "$day" --draft >/dev/null 2>&1 || status=$?
  case $status in
    0) ;;
    3) "$bin/benchwire" digests create "$day" --title-zh "基准新闻 $day" --title-en "Benchwire, $day" >/dev/null ;;
    *) "$bin/benchwire" digests show "$day" --draft >/dev/null || die "the digest of $day cannot be read" ;;
  esac
  status=0
  "$bin/benchwire" --json entries show "$day/$name" >/dev/null 2>&1 || status=$?
  if ((status == 0)); then
    "$bin/benchwire" entries edit "$day/$name" -f "$data/entry.json" >/dev/null
    "$bin/benchwire" entries ready "$day/$name" >/dev/null
  else
    "$bin/benchwire" entries new "$day" "$name" -f "$data/entry.json" --ready >/dev/null
  fi
  "$bin/benchwire" digests publish "$day" --note "Measured by $job." >/dev/null
}

say "Packages"
"$root/deploy/install_packages.sh" server || die "packages are missing"
say "Build (the first one takes some minutes)"
build
mkdir -p "$data" || die "cannot make $data"
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
say "Server and worker"
start_server
start_worker
printf 'gRPC %s, HTTP %s, state and logs in %s\n' "$server_address" "$site" "$data"
say "Measuring this machine"
job=$(measure) || die "the job did not succeed; see: benchwire jobs ls"
job=${job%%$'\n'*}
day=$(date +%F)
say "Publishing"
publish "$day" "$job"
"$bin/benchwire" digests show "$day"
printf '\n%s/digests/%s\n' "$site" "$day"
if $once; then exit 0; fi
printf 'Serving until Ctrl-C. The command line: BENCHWIRE_SERVER=%s %s/benchwire\n' "$server_address" "$bin"
trap 'exit 0' INT TERM
wait -n "$server_pid" "$worker_pid" || die "the server or the worker ended by itself; see $data/server.log and $data/worker.log"
die "the server or the worker ended by itself; see $data/server.log and $data/worker.log"
