#!/usr/bin/env bash
# A training step of Llama 3 405B on 16,384 GPUs with DCQCN off and on, by its parts; the same for jobs on 512 and 1,024 GPUs, which are
# simulated whole, too. And what one ring of a layer's parameters waits for.
#   configs/studies/llama_step/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

training=job.0.training

# fabric ZONES RACKS ATSWS UPLINKS_PER_CTSW
fabric() {
  keys=(--set topology.zones="$1" --set topology.racks="$2" --set topology.atsws="$3" --set topology.uplinks_per_ctsw="$4")
}

# by_parts GPUS, whole GPUS: with DCQCN off and on
by_parts() {
  step "parts_$1" step.toml "${keys[@]}" "${model[@]}" --axis dcqcn.enabled=false,true
}
whole() {
  sweep "whole_$1" step.toml "${keys[@]}" "${model[@]}" --axis dcqcn.enabled=false,true
}

# One ring: two protocols, fewer and more channels, CTSWs of 0.2 instead of 7.85 us, sprayed packets.
ring='job.0.protocol+job.0.channels+latency.ctsw_ingress+latency.ctsw_egress+routing.policy+roce.recovery='
deep='3925 ns:3925 ns' hashed='e_ecmp:go_back_n'
ring+="simple:4:$deep:$hashed,ll128:4:$deep:$hashed,simple:2:$deep:$hashed,simple:8:$deep:$hashed"
ring+=",simple:4:100 ns:100 ns:$hashed,simple:4:$deep:spray:selective_repeat"

model=()
if $small; then
  sweep one_ring ring.toml --set 'job.0.collective.0.sizes=["25 MB"]' --axis "$ring"
  model=(--set $training.hidden=2048 --set $training.ffn_hidden=6656 --set $training.attention_heads=8
    --set $training.sequence_length=512 --set $training.efficiency=0.01 --set job.0.qps_per_connection=4
    --set $training.layers=4 --set $training.vocabulary=4096 --set $training.pipeline_parallel=2
    --set $training.virtual_stages=1 --set $training.micro_batches=2)
  fabric 2 4 2 2
  by_parts 128
  whole 128
else
  sweep one_ring ring.toml --axis "$ring"
  fabric 8 128 16 16
  by_parts 16384
  model=(--set $training.layers=8 --set $training.pipeline_parallel=4 --set $training.virtual_stages=2 --set $training.micro_batches=8)
  fabric 2 16 2 2
  by_parts 512
  whole 512
  fabric 2 32 4 4
  by_parts 1024
  whole 1024
fi
report
