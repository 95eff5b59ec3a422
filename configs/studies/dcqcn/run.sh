#!/usr/bin/env bash
# Two collectives with DCQCN off and at several thresholds, eight seeds, as hashes and marks are drawn: with 18 uplinks for 16 NICs at
# 200G and 400G; with the 32 uplinks that racks of Meta's 200G zone had (1:2); and, as a what-if of our own, with 8 (2:1), three seeds.
#   configs/studies/dcqcn/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

rates='link.host_rate+link.rtsw_ctsw_rate=200 Gb/s,400 Gb/s'
slow=(--set link.host_rate="200 Gb/s" --set link.rtsw_ctsw_rate="200 Gb/s" --set job.0.qps_per_connection=16)
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
# the same with the byte counter read as 64 B and as bytes
counters="$keys+dcqcn.byte_counter=$off:2097088 B"
for each in "$strict" "$onyx" "$tuned"; do counters+=",$each:2097088 B,$each:32767 B"; done

if $small; then
  reduce=(--set 'job.0.collective.0.sizes=["128 MiB"]') large=(--set 'job.0.collective.0.sizes=["256 MiB"]') seeds=1
  exchange=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["16 MiB"]')
  longest=("${exchange[@]}") few=1 some=1 memory='buffer.rtsw.bytes=64 MiB'
else
  reduce=() exchange=() seeds=1..8 few=1..3 some=1..4 large=(--set 'job.0.collective.0.sizes=["64 MiB", "256 MiB", "1 GiB"]')
  longest=(--set 'job.0.collective.0.sizes=["64 MiB"]')
fi
seeds=(--axis "simulation.seed=$seeds")
# what Meta's racks of 1:2 had in place of hashing: pinned paths, then a plan
planned=("${zone[@]}" --axis routing.policy=path_pinning,traffic_engineering --axis "$settings" --axis "simulation.seed=$some")

sweep all_reduce all_reduce.toml "${reduce[@]}" --axis "$rates" --axis "$settings" "${seeds[@]}"
sweep all_to_all all_to_all.toml "${exchange[@]}" --axis "$rates" --axis "$settings" "${seeds[@]}"
sweep zone_all_reduce all_reduce.toml "${zone[@]}" "${large[@]}" --set buffer.rtsw.bytes="64 MiB" --axis "$counters" "${seeds[@]}"
sweep zone_all_to_all all_to_all.toml "${zone[@]}" "${longest[@]}" --axis "$memory" --axis "$counters" "${seeds[@]}"
sweep planned_all_reduce all_reduce.toml "${planned[@]}" "${large[@]}" --set buffer.rtsw.bytes="64 MiB"
sweep planned_all_to_all all_to_all.toml "${planned[@]}" "${longest[@]}" --axis "$memory"
sweep over_all_to_all all_to_all.toml "${over[@]}" "${longest[@]}" --axis 'buffer.rtsw.bytes=64 MiB' --axis "$settings" --axis "simulation.seed=$few"
report
