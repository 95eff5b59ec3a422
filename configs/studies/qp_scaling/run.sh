#!/usr/bin/env bash
# ECMP against E-ECMP with 1 to 32 queue pairs per connection: uplinks, busbw, and what the ACKs cost.
#   configs/studies/qp_scaling/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

servers='job.0.channels+collective.channel_rate' few=ecmp:1:round_robin,e_ecmp:1:round_robin,e_ecmp:16:split
ways='routing.policy+job.0.qps_per_connection+job.0.qp_scaling'
if $small; then
  hash=(--axis job.0.qps_per_connection=1,16 --axis topology.uplinks_per_rtsw+topology.ctsws=16 --axis simulation.seed=1,2
    --set 'job.0.slice=32 KiB' --set 'job.0.collective.0.sizes=["64 MiB"]')
  less=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["256 MiB"]')
  servers="$servers=24:20700 MB/s"
  seeds=1 all=ecmp:1:round_robin,e_ecmp:1:round_robin,e_ecmp:16:round_robin,e_ecmp:16:split ack_qps=16
else
  hash=(--axis job.0.qps_per_connection=1,4,16,32 --axis topology.uplinks_per_rtsw+topology.ctsws=16,18
    --axis simulation.seed=1..10)
  less=()
  servers="$servers=24:20700 MB/s,16:0 B/s"
  seeds=1..5 ack_qps=1,32
  all=ecmp:1:round_robin,e_ecmp:1:round_robin,e_ecmp:4:round_robin,e_ecmp:4:split
  all+=,e_ecmp:16:round_robin,e_ecmp:16:split,e_ecmp:32:split
fi

sweep all_reduce all_reduce.toml "${less[@]}" --axis "simulation.seed=$seeds" --axis "$ways=$all"
sweep servers all_reduce.toml "${less[@]}" --axis "$servers" --axis "simulation.seed=$seeds" --axis "$ways=$few"
# what an ACK of every packet costs; the others have one for up to 16
sweep acks all_reduce.toml "${less[@]}" --set routing.policy=e_ecmp --set job.0.qp_scaling=split \
  --axis job.0.qps_per_connection=$ack_qps --axis simulation.seed=1 --set roce.ack_every=1
sweep hash hash.toml "${hash[@]}"
report
