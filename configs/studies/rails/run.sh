#!/usr/bin/env bash
# Rails under spines, rails alone and racks: all-reduces whose channels stay on their rail or not, and all-to-alls that go straight,
# by PXN, or in stages; and experts of a mixture, whose tokens go by rail or straight.
#   configs/studies/rails/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  seeds=1 tokens=64 groups=1 reduce='["16 MiB"]' exchange='["8 MiB"]'
  rails=(--set topology.rail_optimised.servers=8 --set topology.rail_optimised.uplinks_per_leaf=8)
  alone=(--set topology.rail_only.servers=8) racks=(--set topology.two_tier.leaves=4)
else
  seeds=1..3 tokens=1024 groups=4 reduce='["256 MiB"]' exchange='["64 MiB", "256 MiB"]' rails=() alone=() racks=()
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

# moe NAME FABRIC KEY=VALUE ...: groups of 64 GPUs dispatch tokens and then combine them; of group N every KEY=VALUE is a key of job N,
# and @ in it is N. GPUs post to their NICs and see what has come without a flush, as in configs/hardware/h800_ib.toml.
moe() {
  local name=$1 fabric=$2 group pair
  local -n sizes=$fabric
  local keys=(--set roce.proxy_service=0 --set collective.flush_latency=0 --set 'job.0.collective.0.sizes=[]')
  shift 2
  for ((group = 0; group < groups; ++group)); do
    for pair in gpus=64 "$@" 'collective.1.start=5 ms'; do keys+=(--set "job.$group.${pair//@/$group}"); done
  done
  sweep "${fabric}_$name" $fabric.toml "${sizes[@]}" "${keys[@]}" --axis simulation.seed=$seeds
}

for fabric in rails alone racks; do
  moe experts $fabric qps_per_connection=1 collective.{0.kind=dispatch,1.kind=combine} collective.{0,1}.{tokens=$tokens,routing_seed=@}
done
routings=$(cd "$out" && pwd)/tokens
"${HEDDLE_PYTHON:-/usr/bin/python3}" "$here/tokens.py" "$routings" $tokens $groups
for routing in even skewed; do
  for fabric in rails racks; do
    moe $routing $fabric qps_per_connection=4 collective.{0,1}.kind=all_to_all_v \
      "collective.0.matrix_file=$routings/${routing}_@_dispatch.txt" "collective.1.matrix_file=$routings/${routing}_@_combine.txt"
  done
done
report
