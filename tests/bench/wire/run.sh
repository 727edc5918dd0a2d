#!/usr/bin/env bash
# Measures the server over the wire: submitting, claiming, publishing, reading. See --help.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
build=$root/build/release

usage() {
  cat <<'END'
Usage: tests/bench/wire/run.sh [--json FILE]

Builds the release server and the load program, runs both on this machine for about two minutes and
prints each figure with its median, least and largest round. Quiet machines give steady figures. The databases lie under
build/release, so that their fsync is that of the disk of this checkout.

  --json FILE   writes the figures there as well
Exit: 0 all measured; 1 one was not; 2 wrong use.
END
}

json=()
while (($# > 0)); do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --json)
      [[ -n ${2:-} ]] || { echo "run.sh: --json needs a file" >&2 && exit 2; }
      json=(--json "$2")
      shift
      ;;
    *) printf "run.sh: unknown argument '%s'\n" "$1" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done

mkdir -p "$build"
log=$build/bench_wire.log
if ! {
  cmake -S "$root" --preset release &&
    cmake --build "$build" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" --target benchwire-server benchwire-bench-wire
} >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi

directory=$(mktemp -d "$build/wire.XXXXXX")
trap 'rm -rf "$directory"' EXIT
"$build/tools/benchwire-bench-wire" "$build/bin/benchwire-server" "$directory" "${json[@]}"
