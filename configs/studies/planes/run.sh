#!/usr/bin/env bash
# Planes: eight of 100G whose switches lose a part of their cables, at full load and below it; two of 200G, of which one, or a
# port, fails under an all-reduce.
#   configs/studies/planes/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  seeds=1 leaves=4 widths="8" bytes="4 MiB" duration="20 us" gpus=16 repeat=6
else
  seeds=1..3 leaves=16 widths="16 64" bytes="64 MiB" duration="300 us" gpus=64 repeat=16
fi
dead=(--axis failures.dead_fraction=0,0.05,0.1 --axis failures.seed+simulation.seed=$seeds)

for width in $widths; do  # of a leaf: so many GPUs, so many uplinks
  fabric=(--set topology.two_tier.leaves=$leaves --set topology.two_tier.gpus_per_leaf=$width
    --set topology.two_tier.spines=$width --set topology.two_tier.uplinks_per_leaf=$width)
  sweep full_$width eight.toml "${fabric[@]}" --set "generator.0.bytes=$bytes" --axis routing.policy=adaptive,spray "${dead[@]}"
  sweep load_$width eight.toml "${fabric[@]}" --set generator.0.kind=poisson --set "generator.0.bytes=256 KiB" \
    --set "generator.0.duration=$duration" --axis generator.0.load=0.5,0.7,0.8 "${dead[@]}"
done

plane=failure.0.kind+failure.1.kind+failure.2.kind+failure.3.kind
when=failure.0.at+failure.1.at+failure.2.at+failure.3.at
reduce=(--set job.0.gpus=$gpus --set job.0.collective.0.repeat=$repeat --axis job.0.qp_scaling=split,round_robin
  --axis roce.recovery=go_back_n,selective_repeat)
sweep whole two.toml "${reduce[@]}"
sweep dead two.toml "${reduce[@]}" --axis $plane=down
sweep dies two.toml "${reduce[@]}" --axis $plane=down --axis "$when=4 ms"
sweep port two.toml "${reduce[@]}" --set failure.4.kind=down
report
