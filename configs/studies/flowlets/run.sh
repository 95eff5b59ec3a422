#!/usr/bin/env bash
# The gap after which a flow may take another path, against reordering and busbw; E-ECMP beside it.
#   configs/studies/flowlets/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  zone=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["256 MiB"]') seeds=1 gaps='2 us,32 us,512 us' qps=1
else
  zone=() seeds=1,2 gaps='2 us,8 us,32 us,128 us,256 us,512 us' qps=1,4,16
fi

draws=(--axis job.0.qps_per_connection=$qps --axis simulation.seed=$seeds)
sweep flowlet all_reduce.toml "${zone[@]}" "${draws[@]}" --axis "routing.flowlet.gap=$gaps"
sweep e_ecmp all_reduce.toml "${zone[@]}" "${draws[@]}" --set routing.policy=e_ecmp
if ! $small; then  # slices of 1 MiB, as large as they get: a flow has four times as much on its way
  sweep large_slices all_reduce.toml --set job.0.qps_per_connection=1 --set 'job.0.collective.0.sizes=["2 GiB"]' \
    --axis 'routing.flowlet.gap=32 us,64 us,128 us,256 us,512 us' --axis simulation.seed=$seeds
fi
report
