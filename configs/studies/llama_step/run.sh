#!/usr/bin/env bash
# A training step of Llama 3 405B on 16,384 GPUs with DCQCN off and on, by its parts; the same for jobs on 512 and 1,024 GPUs, which are
# simulated whole, too. On 4,096 GPUs, with three seeds: spines with less buffer, links of 800G, and a spine that dies. And what one ring
# of a layer's parameters waits for.
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

# what_if GPUS AT: DCQCN off and on, with a spine that dies after AT in a layer's collective; then spines of Tomahawk 5's buffer, and all
# links twice as fast
what_if() {
  step "base_$1" step.toml "${keys[@]}" "${model[@]}" "${seeds[@]}" --axis dcqcn.enabled=false,true \
    --failure "node = \"ctsw3\", at = \"$2\"" --repair-hours 4
  step "what_if_$1" step.toml "${keys[@]}" "${model[@]}" "${seeds[@]}" --axis "$fabrics" --axis dcqcn.enabled=false,true
}
# Tomahawk 5 has 165.2 MiB for 128 ports of 400G (FBOSS): 195 MB give each of the 144 ports of a CTSW as much
fabrics='buffer.ctsw.kind+buffer.ctsw.bytes+link.host_rate+link.rtsw_ctsw_rate+link.ctsw_atsw_rate='
fabrics+='shared:195 MB:400Gb/s:400Gb/s:400Gb/s,static:500 MB:800Gb/s:800Gb/s:800Gb/s'

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
  seeds=(--axis simulation.seed=1..2)
  what_if 128 "20 us"
else
  sweep one_ring ring.toml --axis "$ring"
  fabric 8 128 16 16
  by_parts 16384
  fabric 2 128 16 16
  seeds=(--axis simulation.seed=1..3)
  what_if 4096 "1 ms"
  model=(--set $training.layers=8 --set $training.pipeline_parallel=4 --set $training.virtual_stages=2 --set $training.micro_batches=8)
  fabric 2 16 2 2
  by_parts 512
  whole 512
  fabric 2 32 4 4
  by_parts 1024
  whole 1024
fi
report
