#!/usr/bin/env bash
# A training step of Llama 3 405B on 16,384 GPUs with DCQCN off and on, by its parts; the same for jobs on 512 and 1,024 GPUs, which are
# simulated whole, too. What a layer takes is measured twice: with its stage alone on the fabric, and with all stages at the same time,
# which is its stage on its part of the fabric (8 of the 16 GPUs of a rack, and so on).
#   configs/studies/llama_step/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

dcqcn='dcqcn.enabled=false,true'
training=job.0.training

# fabric ZONES RACKS GPUS_PER_RACK UPLINKS ATSWS UPLINKS_PER_CTSW
fabric() {
  keys=(--set topology.zones="$1" --set topology.racks="$2" --set topology.gpus_per_rack="$3" --set topology.ctsws="$4"
    --set topology.uplinks_per_rtsw="$4" --set topology.atsws="$5" --set topology.uplinks_per_ctsw="$6")
}

# given_times SWEEP: of a layer in that sweep, as an axis of the pipeline's: DCQCN, gather, reduce
given_times() {
  PYTHONPATH=$here/..:$here/../../../io/python PYTHONDONTWRITEBYTECODE=1 \
    "${HEDDLE_PYTHON:-/usr/bin/python3}" "$here/layer_times.py" "$heddle" "$out" "$1"
}

# by_parts GPUS_HOW RACKS: what one layer takes on the fabric that fabric() has set, and then the pipeline of one replica, on so many
# racks, with these times
by_parts() {
  sweep "layer_$1" step.toml "${keys[@]}" "${model[@]}" --set $training.layers=1 --set $training.pipeline_parallel=1 \
    --set $training.virtual_stages=1 --set $training.micro_batches=1 --set $training.vocabulary=64 --axis "$dcqcn"
  local points
  points=$(given_times "layer_$1")
  fabric 1 "$2" 16 18 1 1
  sweep "pipeline_$1" step.toml "${keys[@]}" "${model[@]}" "${shape[@]}" \
    --axis "dcqcn.enabled+$training.gather+$training.reduce=$points"
}

# whole GPUS: all of it at once
whole() {
  sweep "whole_$1" step.toml "${keys[@]}" "${model[@]}" "${shape[@]}" --axis "$dcqcn"
}

model=() shape=()
if $small; then
  model=(--set $training.hidden=2048 --set $training.ffn_hidden=6656 --set $training.attention_heads=8
    --set $training.sequence_length=512 --set $training.efficiency=0.01 --set job.0.qps_per_connection=4)
  shape=(--set $training.layers=4 --set $training.vocabulary=4096 --set $training.pipeline_parallel=2
    --set $training.virtual_stages=1 --set $training.micro_batches=2)
  fabric 2 4 8 18 2 2
  by_parts 128_alone 1
  fabric 2 4 8 9 2 2
  by_parts 128_together 1
  fabric 2 4 16 18 2 2
  whole 128
else
  fabric 8 16 8 18 16 16
  by_parts 16384_alone 8
  fabric 8 16 8 9 2 2
  by_parts 16384_together 8
  shape=(--set $training.layers=8 --set $training.pipeline_parallel=4 --set $training.virtual_stages=2 --set $training.micro_batches=8)
  fabric 2 8 8 18 2 2
  by_parts 512_alone 2
  fabric 2 8 8 9 1 1
  by_parts 512_together 2
  fabric 2 16 16 18 2 2
  whole 512
  fabric 2 16 8 18 4 4
  by_parts 1024_alone 2
  fabric 2 16 8 9 2 2
  by_parts 1024_together 2
  fabric 2 32 16 18 4 4
  whole 1024
fi
report
