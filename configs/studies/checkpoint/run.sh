#!/usr/bin/env bash
# A checkpoint of a training job on the network of the GPUs and on one of its own: what do the steps lose?
#   configs/studies/checkpoint/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  job=(--set job.0.training.layers=2 --set job.0.training.hidden=1024 --set job.0.training.ffn_hidden=1024 --set job.0.training.vocabulary=8192
    --set job.0.training.attention_heads=32 --set job.0.training.sequence_length=1024)
  seeds=1
else
  job=() seeds=1,2
fi
seeds=(--axis simulation.seed=$seeds)
modes=(--axis job.0.training.checkpoint.blocking=true,false)
shared=(--set 'job.0.training.checkpoint.fabric=""' --set job.0.training.checkpoint.first_host=64 --set job.0.training.checkpoint.hosts=8)

sweep none two_networks.toml "${job[@]}" "${seeds[@]}" --set job.0.training.checkpoint.every=0
sweep frontend two_networks.toml "${job[@]}" "${seeds[@]}" "${modes[@]}"
sweep shared two_networks.toml "${job[@]}" "${seeds[@]}" "${modes[@]}" "${shared[@]}" \
  --axis job.0.training.checkpoint.class=lossless,best_effort
report
