#!/usr/bin/env bash
# What happens when things fail; see --help.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/lib/checks.sh
. "$root/tests/lib/checks.sh"

usage() {
  cat <<'END'
Usage: tests/faults/run.sh [--seeds N] [--first SEED]

Builds the simulator (tests/sim), optimised, and runs N simulations from SEED: the real core with workers, clients and a
network that crash, freeze, lose and repeat, from one seed each. Every breach is printed with its seed;
`build/release/tools/benchwire-sim SEED 1` repeats it.

  --seeds N     default 5000; 20000 take some minutes
  --first SEED  default 1
Exit: 0 no breach; 1 some; 2 wrong use.
END
}

seeds=5000
first=1
while (($# > 0)); do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --seeds | --first)
      [[ ${2:-} =~ ^[0-9]{1,18}$ ]] || { printf "run.sh: %s needs a number, not '%s'\n" "$1" "${2:-}" >&2 && exit 2; }
      if [[ $1 == --seeds ]]; then seeds=$2; else first=$2; fi
      shift
      ;;
    *) printf "run.sh: unknown argument '%s'\n" "$1" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done

log=$root/build/release/faults_build.log
mkdir -p "$root/build/release"
if ! { cmake -S "$root" --preset release && cmake --build "$root/build/release" --target benchwire-sim; } >"$log" 2>&1; then
  not_ok simulator_builds "$(tail -n 20 "$log")"
  finish
fi
if output=$("$root/build/release/tools/benchwire-sim" "$first" "$seeds"); then
  printf '%s\n' "$output"
  ok simulations_keep_every_promise
else
  not_ok simulations_keep_every_promise "$output"
fi
finish
