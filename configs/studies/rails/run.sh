#!/usr/bin/env bash
# Rails under spines, rails alone and racks: all-reduces whose channels stay on their rail or not, and all-to-alls that go straight,
# by PXN, or in stages.
#   configs/studies/rails/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  seeds=1 reduce='["16 MiB"]' exchange='["8 MiB"]'
  rails=(--set topology.rail_optimised.servers=8 --set topology.rail_optimised.uplinks_per_leaf=8)
  alone=(--set topology.rail_only.servers=8) racks=(--set topology.two_tier.leaves=4)
else
  seeds=1..3 reduce='["256 MiB"]' exchange='["64 MiB", "256 MiB"]' rails=() alone=() racks=()
fi
reduce=(--set "job.0.collective.0.sizes=$reduce" --axis simulation.seed=$seeds)
exchange=(--set "job.0.collective.0.sizes=$exchange" --set job.0.collective.0.kind=all_to_all --axis simulation.seed=$seeds)
ways=job.0.algorithm+job.0.cross_nic hops=job.0.algorithm+job.0.pxn

for fabric in rails racks; do
  declare -n sizes=$fabric
  sweep ${fabric}_reduce $fabric.toml "${sizes[@]}" "${reduce[@]}" --axis $ways=ring:no,ring:yes,tree:no,tree:yes,nvls:auto
  sweep ${fabric}_exchange $fabric.toml "${sizes[@]}" "${exchange[@]}" --axis $hops=auto:false,auto:true,hierarchical:false
done
sweep alone_reduce alone.toml "${alone[@]}" "${reduce[@]}" --axis $ways=ring:no,tree:no,nvls:auto
sweep alone_exchange alone.toml "${alone[@]}" "${exchange[@]}" --axis $hops=auto:true,hierarchical:false
report
