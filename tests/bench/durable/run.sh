#!/usr/bin/env bash
# Measures what durability costs and how fast the system comes back from failures. See --help.
set -euo pipefail
# shellcheck source=tests/bench/load/program.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../load/program.sh"
run_bench durable "Builds the release server, the worker and a load program and runs them on this machine for about five minutes: the
stores beside bare sqlite3, reports, cancellations, a killed worker, a restart with 100,000 jobs, 5,000 idle workers." "$@"
