#!/usr/bin/env bash
# Measures the server over the wire: submitting, claiming, publishing, reading. See --help.
set -euo pipefail
# shellcheck source=tests/bench/load/program.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../load/program.sh"
run_bench wire "Builds the release server and a load program and runs both on this machine for about two minutes." "$@"
