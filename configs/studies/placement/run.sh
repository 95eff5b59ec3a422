#!/usr/bin/env bash
# A training job over 8 zones, its servers in order, by minimum cut and at random: bytes between zones, and step times.
#   configs/studies/placement/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  job=(--set topology.racks=2 --set topology.uplinks_per_ctsw=1 --set topology.atsws=1 --set topology.ctsws=5 --set topology.uplinks_per_rtsw=20
    --set job.0.gpus=256 --set job.0.training.hidden=2048 --set job.0.training.ffn_hidden=7168 --set job.0.training.attention_heads=16
    --set job.0.training.sequence_length=1024)
  seeds=1
else
  job=() seeds=1,2
fi

sweep ordered training.toml "${job[@]}" --axis job.0.placement=contiguous,min_cut
sweep random training.toml "${job[@]}" --set job.0.placement=random --axis simulation.seed=$seeds
report
