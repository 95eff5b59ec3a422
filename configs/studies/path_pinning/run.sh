#!/usr/bin/env bash
# Pinned paths, whole racks and shared racks, with all uplinks and with one or two of a rack down; E-ECMP beside them.
#   configs/studies/path_pinning/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

placement=job.0.placement+job.1.placement  # contiguous: whole racks; fragmented: half of each rack; random: drawn servers
if $small; then  # seed 2: in so small a zone some draws put no two servers of a rack on one uplink
  zone=(--set topology.racks=4 --set job.0.gpus=32 --set job.1.gpus=32 --axis simulation.seed=2) reduce=256 exchange=8
else
  zone=(--axis simulation.seed=1..5) reduce=512 exchange=16
fi

# Uplinks of the first rack that are down, from the start and known to every switch: the lasting effect of a failure alone.
known=(--set failures.detect=0 --set failures.converge=0)
failed1=("${known[@]}" --set 'failure.0.link=["rtsw0", "ctsw3"]')
failed2=("${failed1[@]}" --set 'failure.1.link=["rtsw0", "ctsw11"]')

for kind in all_reduce all_to_all; do
  size=$reduce algorithm=ring
  if [[ $kind == all_to_all ]]; then size=$exchange algorithm=auto; fi
  workload=()
  for job in job.0 job.1; do
    workload+=(--set "$job.collective.0.kind=$kind" --set "$job.algorithm=$algorithm" --set "$job.collective.0.sizes=[\"$size MiB\"]")
    if [[ $kind == all_reduce ]]; then workload+=(--set "$job.channels=8"); fi  # a ring for each NIC
  done
  axes=(--axis routing.policy=path_pinning,e_ecmp --axis $placement=contiguous,fragmented,random)
  sweep $kind two_jobs.toml "${zone[@]}" "${axes[@]}" "${workload[@]}"
  if ! $small || [[ $kind == all_reduce ]]; then sweep ${kind}_failed1 two_jobs.toml "${zone[@]}" "${axes[@]}" "${workload[@]}" "${failed1[@]}"; fi
  if ! $small; then sweep ${kind}_failed2 two_jobs.toml "${zone[@]}" "${axes[@]}" "${workload[@]}" "${failed2[@]}"; fi
done
report
