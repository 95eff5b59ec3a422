#!/usr/bin/env bash
# Two collectives with DCQCN off and at several thresholds, eight seeds, as hashes and marks are drawn: first with rack
# uplinks to spare, at 200G and 400G, then with half as many as servers need, at 200G.
#   configs/studies/dcqcn/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

rates='link.host_rate+link.rtsw_ctsw_rate=200 Gb/s,400 Gb/s'
# 16 down : 8 up, 200G. A rack switch of 64 MiB, or of twice as much
half=(--set link.host_rate="200 Gb/s" --set link.rtsw_ctsw_rate="200 Gb/s" --set topology.ctsws=8
  --set topology.uplinks_per_rtsw=8 --set job.0.qps_per_connection=16)
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
  reduce=(--set 'job.0.collective.0.sizes=["128 MiB"]') large=(--set 'job.0.collective.0.sizes=["64 MiB"]') seeds=1
  exchange=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["16 MiB"]')
  longest=("${exchange[@]}")
else
  reduce=() exchange=() seeds=1..8 large=(--set 'job.0.collective.0.sizes=["64 MiB", "256 MiB", "1 GiB"]')
  longest=(--set 'job.0.collective.0.sizes=["64 MiB"]')
fi

sweep all_reduce all_reduce.toml "${reduce[@]}" --axis "$rates" --axis "$settings" --axis simulation.seed=$seeds
sweep all_to_all all_to_all.toml "${exchange[@]}" --axis "$rates" --axis "$settings" --axis simulation.seed=$seeds
sweep half_all_reduce all_reduce.toml "${half[@]}" "${large[@]}" --set buffer.rtsw.bytes="64 MiB" --axis "$counters" --axis simulation.seed=$seeds
sweep half_all_to_all all_to_all.toml "${half[@]}" "${longest[@]}" --axis "$memory" --axis "$counters" --axis simulation.seed=$seeds
report
