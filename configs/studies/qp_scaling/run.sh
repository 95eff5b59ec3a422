#!/usr/bin/env bash
# ECMP against E-ECMP with 1 to 32 queue pairs per connection: uplinks, busbw, and what the ACKs cost.
#   configs/studies/qp_scaling/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  hash=(--axis job.0.qps_per_connection=1,16 --axis topology.uplinks_per_rtsw+topology.ctsws=16 --axis simulation.seed=1,2
    --set 'job.0.slice=32 KiB' --set 'job.0.collective.0.sizes=["64 MiB"]')
  less=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["256 MiB"]')
  seeds=1 all=ecmp:1:round_robin,e_ecmp:1:round_robin,e_ecmp:16:round_robin,e_ecmp:16:split ack_qps=16 ack_ways=true
else
  hash=(--axis job.0.qps_per_connection=1,4,16,32 --axis topology.uplinks_per_rtsw+topology.ctsws=16,18
    --axis simulation.seed=1..10)
  less=()
  seeds=1..5 ack_qps=1,16,32 ack_ways=true,false
  all=ecmp:1:round_robin
  for qps in 1 4 16 32; do
    all+=,e_ecmp:$qps:round_robin
    if ((qps > 1)); then all+=,e_ecmp:$qps:split; fi
  done
fi

sweep hash hash.toml "${hash[@]}"
sweep all_reduce all_reduce.toml "${less[@]}" --axis "simulation.seed=$seeds" \
  --axis "routing.policy+job.0.qps_per_connection+job.0.qp_scaling=$all"
if ! $small; then
  sweep more_uplinks all_reduce.toml --set topology.uplinks_per_rtsw=36 --axis "simulation.seed=$seeds" \
    --axis "routing.policy+job.0.qps_per_connection+job.0.qp_scaling=ecmp:1:round_robin,e_ecmp:16:split"
fi
sweep acks all_reduce.toml "${less[@]}" --set routing.policy=e_ecmp --set job.0.qp_scaling=split \
  --axis job.0.qps_per_connection=$ack_qps --axis roce.ack_every=1,16 --axis roce.ack_high_priority=$ack_ways
report
