#!/usr/bin/env bash
# Runs the study: two collectives x two speeds x DCQCN off, strict, tuned; then compares the three of each.
#   configs/studies/dcqcn/run.sh HEDDLE [OUT_FOLDER] [more arguments for every run]
# HEDDLE is the program, OUT_FOLDER where the result files go (results/dcqcn).
set -euo pipefail
heddle=${1:?give the path of the heddle program}
out=${2:-results/dcqcn}
more=("${@:3}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out"

run() {  # CONFIG RATE NAME [--set ...]
  local config=$1 rate=$2 name=$3
  shift 3
  "$heddle" run "$here/$config.toml" --force -o "$out/${config}_${rate}G_$name.h5" \
    --set "link.host_rate=$rate Gb/s" --set "link.rtsw_ctsw_rate=$rate Gb/s" "$@" "${more[@]}"
}

# strict: the thresholds of the DCQCN paper (5 KB, 200 KB, 1 %), not scaled; tuned: the files' own
strict=(--set dcqcn.enabled=true --set "ecn.kmin=5 KB" --set "ecn.kmax=200 KB" --set ecn.pmax=0.01 --set ecn.scale_with_rate=false)
tuned=(--set dcqcn.enabled=true)

for config in all_reduce all_to_all; do
  for rate in 200 400; do
    run $config $rate off
    run $config $rate strict "${strict[@]}"
    run $config $rate tuned "${tuned[@]}"
    "$heddle" compare "$out/${config}_${rate}G_off.h5" "$out/${config}_${rate}G_strict.h5" "$out/${config}_${rate}G_tuned.h5"
  done
done
