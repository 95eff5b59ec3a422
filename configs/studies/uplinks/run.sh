#!/usr/bin/env bash
# The four stages of the 200G zone's rack uplinks (configs/history); stage 2 with twice as many uplinks instead of faster ones; stages 3
# and 4 with E-ECMP; and all four with failed uplinks.
#   configs/studies/uplinks/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then  # seeds 2 and 3: in so small a zone some draws put no two servers of a rack on one uplink
  zone=(--set topology.racks=4 --set job.0.gpus=32 --set job.1.gpus=32 --axis simulation.seed=2,3) reduce=256 kinds=all_reduce
else
  zone=(--axis simulation.seed=1..6) reduce=512 kinds="all_reduce all_to_all"
fi

for kind in $kinds; do
  size=$reduce algorithm=ring
  if [[ $kind == all_to_all ]]; then size=16 algorithm=auto; fi
  workload=(--set collective.host=none)
  for job in job.0 job.1; do
    workload+=(--set "$job.collective.0.kind=$kind" --set "$job.algorithm=$algorithm" --set "$job.protocol=simple" --set "$job.collective.0.sizes=[\"$size MiB\"]")
    if [[ $kind == all_reduce ]]; then workload+=(--set "$job.channels=8"); fi  # a ring for each NIC
  done
  for stage in 1 2 3 4; do
    sweep ${kind}_stage$stage ../../history/stage$stage.toml "${zone[@]}" "${workload[@]}"
  done
  sweep ${kind}_stage2_32 ../../history/stage2.toml "${zone[@]}" "${workload[@]}" \
    --set topology.uplinks_per_rtsw=32 --set "link.rtsw_ctsw_rate=200 Gb/s"
  for stage in 3 4; do
    sweep ${kind}_stage${stage}_e_ecmp ../../history/stage$stage.toml "${zone[@]}" "${workload[@]}" --set routing.policy=e_ecmp
  done
  if $small; then continue; fi
  # A rack that has lost two CTSWs, from the start, and everybody knows: 400G each in stages 2 and 3, 200G in 1 and 4.
  for stage in 1 2 3 4; do
    sweep ${kind}_stage${stage}_failed ../../history/stage$stage.toml "${zone[@]}" "${workload[@]}" \
      --set failures.detect=0 --set failures.converge=0 \
      --set 'failure.0.link=["rtsw0", "ctsw3"]' --set 'failure.1.link=["rtsw0", "ctsw11"]'
  done
done
report
