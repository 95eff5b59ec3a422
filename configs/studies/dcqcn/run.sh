#!/usr/bin/env bash
# Two collectives with DCQCN off and at several thresholds, several seeds, as hashes and marks are drawn: with 18 uplinks for 16 NICs at
# 200G and 400G; with the 32 uplinks that racks of Meta's 200G zone had (1:2); and, as a what-if of our own, with 8 (2:1).
#   configs/studies/dcqcn/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

# NICs of 200G are of A100s, of 400G of H100s; rings on 16 channels, NCCL's number, and on 24
rates='link.host_rate+link.rtsw_ctsw_rate+collective.host' slower='200 Gb/s:200 Gb/s:a100' faster='400 Gb/s:400 Gb/s:h100'
rings="$rates+job.0.channels=$slower:16,$slower:24,$faster:16,$faster:24" rates="$rates=$slower,$faster"
slow=(--set collective.host=a100 --set link.host_rate="200 Gb/s" --set link.rtsw_ctsw_rate="200 Gb/s"
  --set job.0.qps_per_connection=16)
zone=("${slow[@]}" --set topology.ctsws=16 --set topology.uplinks_per_rtsw=32)  # as history/stage3.toml
over=("${slow[@]}" --set topology.ctsws=8 --set topology.uplinks_per_rtsw=8)
# a rack switch like Tomahawk 3, or Tomahawk 4's of 113.7 MiB
memory='buffer.rtsw.bytes=64 MiB,119223028 B'

# off; strict: the thresholds of the DCQCN paper, not scaled; onyx: those of NVIDIA's switches, not scaled; tuned: the
# files' own
keys='dcqcn.enabled+ecn.kmin+ecn.kmax+ecn.pmax+ecn.scale_with_rate'
strict='true:5 KB:200 KB:0.01:false' onyx='true:150 KB:1500 KB:1:false' tuned='true:800 KB:3200 KB:0.2:true'
off='false:800 KB:3200 KB:0.2:true'
settings="$keys=$off,$strict,$onyx,$tuned"

if $small; then
  reduce=(--set 'job.0.collective.0.sizes=["128 MiB"]') large=(--set 'job.0.collective.0.sizes=["256 MiB"]') seeds=1
  exchange=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["16 MiB"]')
  few=1 memory='buffer.rtsw.bytes=64 MiB'
else
  reduce=() exchange=() seeds=1..8 few=1..3 large=(--set 'job.0.collective.0.sizes=["256 MiB", "1 GiB"]')
fi
few=(--axis "simulation.seed=$few")
# what Meta's racks of 1:2 had in place of hashing: pinned paths, then a plan
planned=("${zone[@]}" --axis routing.policy=path_pinning,traffic_engineering --axis "$settings" "${few[@]}")

sweep all_reduce all_reduce.toml "${reduce[@]}" --axis "$rings" --axis "$settings" --axis "simulation.seed=$seeds"
sweep all_to_all all_to_all.toml "${exchange[@]}" --axis "$rates" --axis "$settings" "${few[@]}"
sweep zone_all_reduce all_reduce.toml "${zone[@]}" "${large[@]}" --set buffer.rtsw.bytes="64 MiB" --axis "$settings" "${few[@]}"
sweep zone_all_to_all all_to_all.toml "${zone[@]}" "${exchange[@]}" --axis "$memory" --axis "$settings" "${few[@]}"
sweep planned_all_reduce all_reduce.toml "${planned[@]}" "${large[@]}" --set buffer.rtsw.bytes="64 MiB"
sweep planned_all_to_all all_to_all.toml "${planned[@]}" "${exchange[@]}" --axis 'buffer.rtsw.bytes=64 MiB'
sweep over_all_to_all all_to_all.toml "${over[@]}" "${exchange[@]}" --axis 'buffer.rtsw.bytes=64 MiB' --axis "$settings" "${few[@]}"
report
