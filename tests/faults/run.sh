#!/usr/bin/env bash
# What happens when things fail; see --help.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/lib/checks.sh
. "$root/tests/lib/checks.sh"

usage() {
  cat <<'END'
Usage: tests/faults/run.sh [--long] [--only NAME]… [--seed N] [--json FILE]

  checker      the history checker goes red on made-up bad histories
  simulations  the real core with workers, clients and a network that crash, freeze, lose and repeat (tests/sim), from one
               seed each; `build/release/tools/benchwire-sim SEED 1` repeats one
  power_loss   the power fails under the real stores: unsynced sectors are dropped and torn (tests/faults/power_loss);
               `build/release/tools/benchwire-power-loss SEED 1` repeats one
  f1_… f23_…   the real binaries, killed, frozen, cut off, without disk, under load (tests/faults/chaos.py)

What a scenario that failed left (history, journal of the runners, data directory, logs) stays in build/faults/NAME-SEED.

Starvation (a job for many devices against many small ones, a low priority against high ones) is a matter of the scheduler
alone: the simulations and the unit tests of server/core have it.

The bounded run takes about 7 minutes on 2 cores. The binaries are those of the release preset; tests/run.sh faults builds
them.

  --long       everything at length: thousands of kills, 20000 simulations, 1000 power failures; takes hours
  --only NAME  this alone; may be repeated. With it a long run is resumed
  --seed N     of every scenario and the first of simulations and power failures; drawn and printed where it is not given
  --json FILE  write the figures faults.kills, faults.lost, faults.doubled and faults.overlaps there
Exit: 0 all held; 1 a breach, printed with its seed; 2 wrong use.
END
}

long=()
only=()
seed=
json=()
while (($# > 0)); do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --long) long=(--long) ;;
    --only | --seed | --json)
      [[ -n ${2:-} ]] || { printf 'run.sh: %s needs a value\n' "$1" >&2 && exit 2; }
      case $1 in
        --only) only+=("$2") ;;
        --seed)
          [[ $2 =~ ^[0-9]{1,18}$ ]] || { printf "run.sh: --seed needs a number, not '%s'\n" "$2" >&2 && exit 2; }
          seed=$2
          ;;
        --json) json=(--json "$2") ;;
      esac
      shift
      ;;
    *) printf "run.sh: unknown argument '%s'\n" "$1" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done

# What is asked for of the parts that are not scenarios of chaos.py.
wants() {
  local name
  ((${#only[@]} > 0)) || return 0
  for name in "${only[@]}"; do [[ $name != "$1" ]] || return 0; done
  return 1
}
scenarios=()
for name in "${only[@]}"; do
  case $name in checker | simulations | power_loss) ;; *) scenarios+=(--only "$name") ;; esac
done
if ((${#scenarios[@]} > 0)) && ! "$root/tests/faults/chaos.py" --list "${scenarios[@]}" >/dev/null; then exit 2; fi

first=${seed:-1}
tools=$root/build/release/tools
log=$root/build/release/faults_build.log
build_tool() {
  mkdir -p "$root/build/release"
  if ! { cmake -S "$root" --preset release && cmake --build "$root/build/release" --target "$1"; } >"$log" 2>&1; then
    not_ok "$1_builds" "$(tail -n 20 "$log")"
    return 1
  fi
}

# many NAME TOOL COUNT: a tool over many seeds.
many() {
  local output
  build_tool "$2" || return
  if output=$("$tools/$2" "$first" "$3"); then
    printf '%s\n' "$output"
    ok "$1"
  else
    not_ok "$1" "$output"
  fi
}

if wants checker; then
  if output=$(python3 "$root/tests/faults/checker_test.py" 2>&1); then ok checker; else not_ok checker "$output"; fi
fi
if wants simulations; then many simulations benchwire-sim "$([[ -n ${long[*]} ]] && echo 20000 || echo 3000)"; fi
if wants power_loss; then many power_loss benchwire-power-loss "$([[ -n ${long[*]} ]] && echo 1000 || echo 200)"; fi
if ((${#only[@]} == 0 || ${#scenarios[@]} > 0)); then
  "$root/tests/faults/chaos.py" "${long[@]}" "${scenarios[@]}" ${seed:+--seed "$seed"} "${json[@]}"
  result=$?
  # Each scenario that failed was named; so is a run that could not even begin.
  checks_failed=$((checks_failed + (result != 0)))
fi
finish
