#!/usr/bin/env bash
# Instructions per packet-hop of one case, counted by callgrind: the difference of two horizons, so that building the
# world and filling the fabric are not counted.
#   tests/bench/instructions.sh [--cache] PATH/TO/heddle-bench [CASE [FIRST_US SECOND_US]]
# --cache: also what leaves the caches, of lines of 64 bytes: data that is not in 32 KiB of L1, and of that what is not
# in 1 MiB of L2 either. These are callgrind's caches, the same on every machine: they fetch nothing ahead.
# With KEEP=DIR the two profiles stay in DIR, for callgrind_annotate.
set -euo pipefail

caches=()
if [ "${1:-}" = --cache ]; then
  caches=(--cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64)
  shift
fi
bench=${1:?"usage: $0 [--cache] PATH/TO/heddle-bench [CASE [FIRST_US SECOND_US]]"}
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

# prints "instructions hops D1-misses LL-misses" of a run from time 0 to $1 microseconds; the last two are 0 without --cache
count() {
  local log=$folder/$1.log out=$folder/$1.txt
  valgrind --tool=callgrind --callgrind-out-file="$folder/$1.callgrind" --log-file="$log" "${caches[@]}" \
    "$bench" "$case_name" --repeat 1 --no-warm-up --end-us "$1" >"$out"
  awk -v hops="$(awk -v name="$case_name" '$1 == name {print $2}' "$out")" '
    / Events +:/ { for (i = 4; i <= NF; ++i) column[$i] = i }
    / Collected +:/ {
      for (event in column) sum[event] = $column[event]
      printf "%d %s %d %d\n", sum["Ir"], hops, sum["D1mr"] + sum["D1mw"], sum["DLmr"] + sum["DLmw"]
    }' "$log"
}

read -r instructions_1 hops_1 d1_1 ll_1 <<<"$(count "$first_us")"
read -r instructions_2 hops_2 d1_2 ll_2 <<<"$(count "$second_us")"
if [ -z "${ll_1:-}" ] || [ -z "${ll_2:-}" ] || [ "$hops_2" -le "$hops_1" ]; then
  echo "error: '$case_name' made no more packet-hops until $second_us us than until $first_us us; name one case exactly, and the later instant last" >&2
  exit 1
fi
awk -v name="$case_name" -v i1="$instructions_1" -v i2="$instructions_2" -v h1="$hops_1" -v h2="$hops_2" \
  'BEGIN { printf "%s: %.1f instructions per packet-hop (%d instructions, %d hops)\n", name, (i2 - i1) / (h2 - h1), i2 - i1, h2 - h1 }'
if [ ${#caches[@]} -ne 0 ]; then
  awk -v name="$case_name" -v d1="$((d1_2 - d1_1))" -v ll="$((ll_2 - ll_1))" -v hops="$((hops_2 - hops_1))" 'BEGIN {
    printf "%s: %.2f misses per packet-hop beyond L1, which are %.0f bytes; %.3f beyond L2, %.1f bytes\n",
           name, d1 / hops, 64 * d1 / hops, ll / hops, 64 * ll / hops }'
fi
