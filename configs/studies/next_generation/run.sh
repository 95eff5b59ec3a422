#!/usr/bin/env bash
# Adaptive routing and spraying with both receivers, against ECMP, E-ECMP and path pinning; and all of them with a cable that
# is down, slow, or fails in mid-run.
#   configs/studies/next_generation/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

if $small; then
  zone=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["256 MiB"]') seeds=1 at="300 us" timers=nccl,short
else
  zone=() seeds=1..3 at="2 ms" timers=nccl,short
fi
receivers=roce.recovery=go_back_n,selective_repeat

# These keep a flow's packets in order, so the receivers do the same (the report claims it, of one).
sweep flows all_reduce.toml "${zone[@]}" --axis simulation.seed=$seeds --axis routing.policy+job.0.qps_per_connection+job.0.qp_scaling=\
ecmp:4:round_robin,e_ecmp:4:round_robin,e_ecmp:16:round_robin,e_ecmp:16:split,path_pinning:4:round_robin
sweep same all_reduce.toml "${zone[@]}" --set routing.policy=e_ecmp --axis $receivers
# These do not.
sweep adaptive all_reduce.toml "${zone[@]}" --set routing.policy=adaptive --axis routing.adaptive.per=packet,flowlet --axis $receivers \
  --axis simulation.seed=$seeds
sweep spray all_reduce.toml "${zone[@]}" --set routing.policy=spray --axis routing.spray.by=hash,round_robin --axis $receivers \
  --axis simulation.seed=$seeds
sweep one_qp all_reduce.toml "${zone[@]}" --set roce.recovery=selective_repeat --set job.0.qps_per_connection=1 \
  --axis routing.policy=adaptive,spray --axis simulation.seed=$seeds
# How much of the collapse is going back, and how much is waiting for timeouts: fewer bytes on their way of a QP, a shorter timer.
sweep collapse all_reduce.toml "${zone[@]}" --set routing.policy=spray \
  --axis 'job.0.qps_per_connection+roce.rto=1:4 ms,4:4 ms,4:400 us,4:4294967296 ns'
# A cable between the first rack and a CTSW: down from the start, as all know; or at a quarter of its rate, which no routing table
# shows. Receivers that place what comes, so that only routing differs.
routings=path_pinning:4:round_robin,spray:1:round_robin,adaptive:1:round_robin
if ! $small; then routings=ecmp:4:round_robin,e_ecmp:16:split,$routings; fi
cable=(--set roce.recovery=selective_repeat --set 'failure.0.link=["rtsw0", "ctsw3"]' --axis simulation.seed=$seeds
  --axis routing.policy+job.0.qps_per_connection+job.0.qp_scaling=$routings)
sweep failed all_reduce.toml "${zone[@]}" "${cable[@]}" --set failures.detect=0 --set failures.converge=0
sweep slow all_reduce.toml "${zone[@]}" "${cable[@]}" --set failure.0.kind=rate --set "failure.0.rate=100 Gb/s"
sweep failing all_reduce.toml "${zone[@]}" "${cable[@]}" --set "failure.0.at=$at" --set "failures.detect=1 ms" \
  --set "failures.converge=5 ms" --axis "roce.timers=$timers"
report
