#!/usr/bin/env bash
# Traffic engineering against E-ECMP: without failures, with failed links that the controller knows, and with such that it does not.
#   configs/studies/traffic_engineering/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

periods="250 us,1 ms,4 ms"
if $small; then  # what servers are drawn decides too much in so small a zone
  zone=(--set topology.racks=4 --set job.0.gpus=64 --axis simulation.seed=1) reduce="256 MiB" placements=contiguous
  periods="250 us,1 ms"
else
  zone=(--axis simulation.seed=1..3) reduce="1 GiB" placements=contiguous,random
fi
whole=("${zone[@]}" --set job.0.channels=8 --set "job.0.collective.0.sizes=[\"$reduce\"]")
ring=("${whole[@]}" --axis job.0.placement=$placements)
exchange=("${zone[@]}" --set job.0.collective.0.kind=all_to_all --set job.0.algorithm=auto --set 'job.0.collective.0.sizes=["16 MiB"]' --axis job.0.placement=random)
routing=routing.policy+job.0.qp_scaling
both=(--axis $routing=traffic_engineering:split,e_ecmp:split)

# Uplinks of the first rack that are down from the start: the controller solves for what is left.
failed=()
spines=(ctsw3 ctsw11 ctsw7 ctsw15)
for ((n = 0; n < 4; ++n)); do
  failed+=(--set "failure.$n.link=[\"rtsw0\", \"${spines[n]}\"]")
done
one=("${failed[@]:0:2}") four=("${failed[@]}")

sweep all_reduce zone.toml "${ring[@]}" --axis $routing=traffic_engineering:split,e_ecmp:split,e_ecmp:round_robin
sweep all_reduce_failed4 zone.toml "${ring[@]}" "${both[@]}" "${four[@]}"
# The same 1 ns later: the controller has solved before they fail, and not again. Switches know at once.
late=(--set failure.0.at="1 ns")
sweep stale1 zone.toml "${ring[@]}" "${one[@]}" "${late[@]}" --set routing.traffic_engineering.period="1 s"
# The controller does not know what will be sent: it measures, and solves for the period before.
sweep measured zone.toml "${ring[@]}" --set routing.traffic_engineering.demands=measured --axis routing.traffic_engineering.period="$periods"
if ! $small; then
  sweep all_reduce_failed1 zone.toml "${ring[@]}" "${both[@]}" "${one[@]}"
  for n in 1 2 3; do late+=(--set failure.$n.at="1 ns"); done
  sweep stale4 zone.toml "${ring[@]}" "${four[@]}" "${late[@]}" --set routing.traffic_engineering.period="1 s"
  # More uplinks than NICs: how much room one way at a time needs.
  sweep spare zone.toml "${whole[@]}" "${both[@]}" --set job.0.placement=random --axis topology.uplinks_per_rtsw+topology.ctsws=24:24,32:16
  # One fails in mid-run. All switches know at once, or its own rack and CTSW after 1 ms and all others after 5 (the defaults). The
  # controller solves as soon as routes change, 2 ms later at most, or never.
  mid_run=("${whole[@]}" "${one[@]}" --set failure.0.at="2100 us" --axis roce.timers=nccl,short
    --axis "failures.detect+failures.converge=0 s:0 s,1 ms:5 ms")
  sweep mid_run_te zone.toml "${mid_run[@]}" --axis routing.traffic_engineering.period="0 s,2 ms,1 s"
  sweep mid_run_e_ecmp zone.toml "${mid_run[@]}" --set routing.policy=e_ecmp
  sweep all_to_all zone.toml "${exchange[@]}" "${both[@]}" --set output.series_interval="20 us" --set output.link_series=true
  sweep all_to_all_failed1 zone.toml "${exchange[@]}" "${both[@]}" "${one[@]}"
  sweep all_to_all_failed4 zone.toml "${exchange[@]}" "${both[@]}" "${four[@]}"
fi
report
