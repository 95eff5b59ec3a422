#!/usr/bin/env bash
# What a lost packet costs: one flow and one all-reduce over a dirty cable, and an all-reduce of which a cable fails, with
# go-back-N and selective repeat, under the timeouts that NCCL sets and under 4 ms.
#   configs/studies/losses/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  seeds=1 bytes="32 MiB" sizes='["32 MiB"]' at="300 us"
else
  seeds=1..3 bytes="256 MiB" sizes='["256 MiB"]' at="1 ms"
fi
nics=(--axis roce.recovery=go_back_n,selective_repeat --axis roce.timers=nccl,short --axis simulation.seed=$seeds)
dirty=(--axis failure.0.bit_error_rate=1e-18,2.979e-8,2.993e-7)  # no packet, 1 of 1,000, 1 of 100

sweep flow flow.toml --set "message.0.bytes=$bytes" "${dirty[@]}" "${nics[@]}"
sweep all_reduce all_reduce.toml --set "job.0.collective.0.sizes=$sizes" --set 'failure.0.link=["rtsw0", "gpu0"]' \
  --set failure.0.kind=bit_errors "${dirty[@]}" "${nics[@]}"
sweep failed all_reduce.toml --set "job.0.collective.0.sizes=$sizes" \
  --set 'failure.0.link=["rtsw0", "ctsw3"]' --set "failure.0.at=$at" --set failures.detect="1 ms" --set failures.converge="5 ms" "${nics[@]}"
report
