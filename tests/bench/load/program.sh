# For tests/bench/PART/run.sh: builds the programs to measure and the bench program, and runs it. Source it.
# shellcheck shell=bash

# run_bench PART ABOUT [ARGUMENT…]: ABOUT is what --help says the part does.
run_bench() {
  local part=$1 about=$2 root build log directory json=()
  shift 2
  root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
  build=$root/build/release
  while (($# > 0)); do
    case $1 in
      -h | --help)
        cat <<END
Usage: tests/bench/$part/run.sh [--json FILE]

$about
Prints each figure with its median, least and largest round. Quiet machines give steady figures. The databases lie under
build/release, so that their fsync is that of the disk of this checkout.

  --json FILE   writes the figures there as well
Exit: 0 all measured; 1 one was not; 2 wrong use.
END
        return 0
        ;;
      --json)
        [[ -n ${2:-} ]] || { echo "run.sh: --json needs a file" >&2 && return 2; }
        json=(--json "$2")
        shift
        ;;
      *) printf "run.sh: unknown argument '%s'\n" "$1" >&2 && return 2 ;;
    esac
    shift
  done
  mkdir -p "$build"
  log=$build/bench_$part.log
  if ! {
    cmake -S "$root" --preset release &&
      cmake --build "$build" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" --target benchwire-server benchwire_worker "benchwire-bench-$part"
  } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    return 1
  fi
  directory=$(mktemp -d "$build/bench_$part.XXXXXX")
  # shellcheck disable=SC2064 # now
  trap "rm -rf '$directory'" EXIT
  "$build/tools/benchwire-bench-$part" "$build/bin" "$directory" "${json[@]}"
}
