#!/usr/bin/env bash
# Pinned paths, whole racks and shared racks; E-ECMP beside them.
#   configs/studies/path_pinning/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

placement=job.0.placement+job.1.placement  # contiguous: whole racks; fragmented: half of each rack; random: drawn servers
if $small; then  # seed 2: in so small a zone some draws put no two servers of a rack on one uplink
  zone=(--set topology.racks=4 --set job.0.gpus=32 --set job.1.gpus=32 --axis simulation.seed=2) reduce=256 exchange=8
else
  zone=(--axis simulation.seed=1..5) reduce=512 exchange=16
fi

for kind in all_reduce all_to_all; do
  size=$reduce
  if [[ $kind == all_to_all ]]; then size=$exchange; fi
  workload=()
  for job in job.0 job.1; do
    workload+=(--set "$job.collective.0.kind=$kind" --set "$job.collective.0.sizes=[\"$size MiB\"]")
  done
  sweep $kind two_jobs.toml "${zone[@]}" --axis routing.policy=path_pinning,e_ecmp \
    --axis $placement=contiguous,fragmented,random "${workload[@]}"
done
# With links out of service: one more axis here, 0, 1 and 2 uplinks of a rack, when a configuration can fail them.
report
