#!/usr/bin/env bash
# The four stages of the 200G zone's rack uplinks (configs/history), and stage 2 with twice as many uplinks instead of faster ones.
#   configs/studies/uplinks/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then  # seeds 2 and 3: in so small a zone some draws put no two servers of a rack on one uplink
  zone=(--set topology.racks=4 --set job.0.gpus=32 --set job.1.gpus=32 --axis simulation.seed=2,3) reduce=256 kinds=all_reduce
else
  zone=(--axis simulation.seed=1..6) reduce=512 kinds="all_reduce all_to_all"
fi

for kind in $kinds; do
  size=$reduce
  if [[ $kind == all_to_all ]]; then size=16; fi
  workload=()
  for job in job.0 job.1; do
    workload+=(--set "$job.collective.0.kind=$kind" --set "$job.collective.0.sizes=[\"$size MiB\"]")
  done
  for stage in 1 2 3 4; do
    sweep ${kind}_stage$stage ../../history/stage$stage.toml "${zone[@]}" "${workload[@]}"
  done
  sweep ${kind}_stage2_32 ../../history/stage2.toml "${zone[@]}" "${workload[@]}" \
    --set topology.uplinks_per_rtsw=32 --set "link.rtsw_ctsw_rate=200 Gb/s"
done
report
