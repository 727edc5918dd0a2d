#!/bin/bash
# The program of sort-lines.json: sort-lines.sh LINES REPETITIONS SEED. Prints `sorted in SECONDS s` for each repetition.
set -euo pipefail
export LC_ALL=C
awk -v lines="$1" -v seed="$3" 'BEGIN { srand(seed); for (i = 0; i < lines; ++i) printf "%.12f\n", rand() }' >lines
for ((i = 0; i < $2; ++i)); do
  start=${EPOCHREALTIME/./}
  sort lines >sorted
  micros=$((${EPOCHREALTIME/./} - start))
  printf 'sorted in %d.%06d s\n' $((micros / 1000000)) $((micros % 1000000))
done
sort -c sorted
