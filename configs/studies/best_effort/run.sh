#!/usr/bin/env bash
# TCP in class best_effort beside RDMA in the lossless class, through the same switches: who suffers, and what protects?
#   configs/studies/best_effort/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  unit=(--set topology.rail_optimised.servers=8 --set topology.rail_optimised.uplinks_per_leaf=8 --set job.0.gpus=32
    --set 'job.0.collective.0.sizes=["16 MiB"]' --set job.0.collective.0.repeat=2 --set generator.0.hosts=16
    --set generator.0.servers=16 --set generator.0.messages=2 --axis simulation.seed=1)
  beside=(--set generator.0.first_host=32 --set generator.0.first_server=48) same=(--set generator.0.first_host=0 --set generator.0.first_server=16)
  memories="8 MiB,32 MiB" limits="1 MiB:0,0 B:8" weights=1:false,16:false
else
  unit=(--axis simulation.seed=1,2)
  beside=() same=(--set generator.0.first_host=0 --set generator.0.first_server=32)
  memories="16 MiB,32 MiB,64 MiB,1 GiB" limits="1 MiB:0,0 B:0.125,0 B:1,0 B:8" weights=1:false,4:false,16:false,1:true
fi
memory=(--axis "tier.leaf.buffer.bytes+tier.spine.buffer.bytes=$(sed -E 's/([^,]+)/\1:\1/g' <<<"$memories")")
limit=class.best_effort.limit+class.best_effort.limit_alpha

# Requests of 1 B of each reader, one after the other: hardly any TCP.
off=(--set generator.0.bytes=1 --set generator.0.outstanding=1 --set generator.0.stripes=1)
dctcp=(--set tcp.control=dctcp --set class.best_effort.ecn=true --set class.best_effort.limit=0 --set class.best_effort.limit_alpha=8)
sweep off unit.toml "${unit[@]}" "${beside[@]}" "${memory[@]}" "${off[@]}"
sweep beside unit.toml "${unit[@]}" "${beside[@]}" "${memory[@]}" --axis $limit="$limits"
sweep same unit.toml "${unit[@]}" "${same[@]}" --axis $limit="1 MiB:0,0 B:8" --axis class.lossless.weight+class.lossless.strict=$weights
if ! $small; then
  sweep beside_strict unit.toml "${unit[@]}" --set tier.leaf.buffer.bytes="16 MiB" --set tier.spine.buffer.bytes="16 MiB" \
    --set class.lossless.strict=true --axis $limit="1 MiB:0,0 B:8"
  sweep beside_dctcp unit.toml "${unit[@]}" "${beside[@]}" "${memory[@]}" "${dctcp[@]}"
  sweep same_dctcp unit.toml "${unit[@]}" "${same[@]}" "${dctcp[@]}" --axis class.lossless.weight+class.lossless.strict=$weights
fi
report
