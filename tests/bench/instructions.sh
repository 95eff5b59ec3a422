#!/usr/bin/env bash
# Instructions per packet-hop of one case, counted by callgrind: the difference of two horizons, so that building the
# world and filling the fabric are not counted.
#   tests/bench/instructions.sh PATH/TO/heddle-bench [CASE [FIRST_US SECOND_US]]
# With KEEP=DIR the two profiles stay in DIR, for callgrind_annotate.
set -euo pipefail

bench=${1:?"usage: $0 PATH/TO/heddle-bench [CASE [FIRST_US SECOND_US]]"}
case_name=${2:-permutation-1024-on}
first_us=${3:-40}
second_us=${4:-60}

if ! command -v valgrind >/dev/null; then
  echo "error: valgrind is not installed, so instructions cannot be counted; install it, or use perf stat -e instructions:u" >&2
  exit 1
fi
folder=${KEEP:-$(mktemp -d)}
mkdir -p "$folder"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$folder"' EXIT

# prints "instructions hops" of a run from time 0 to $1 microseconds
count() {
  local log=$folder/$1.log out=$folder/$1.txt
  valgrind --tool=callgrind --callgrind-out-file="$folder/$1.callgrind" --log-file="$log" \
    "$bench" "$case_name" --repeat 1 --no-warm-up --end-us "$1" >"$out"
  echo "$(awk '/Collected :/ {print $4}' "$log") $(awk -v name="$case_name" '$1 == name {print $2}' "$out")"
}

read -r instructions_1 hops_1 <<<"$(count "$first_us")"
read -r instructions_2 hops_2 <<<"$(count "$second_us")"
if [ -z "${hops_1:-}" ] || [ -z "${hops_2:-}" ] || [ "$hops_2" -le "$hops_1" ]; then
  echo "error: '$case_name' made no more packet-hops until $second_us us than until $first_us us; name one case exactly, and the later instant last" >&2
  exit 1
fi
awk -v name="$case_name" -v i1="$instructions_1" -v i2="$instructions_2" -v h1="$hops_1" -v h2="$hops_2" \
  'BEGIN { printf "%s: %.1f instructions per packet-hop (%d instructions, %d hops)\n", name, (i2 - i1) / (h2 - h1), i2 - i1, h2 - h1 }'
