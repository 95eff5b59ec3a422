#!/usr/bin/env bash
# A controller of traffic engineering behind a management network that is healthy, slow, or fails while uplinks fail.
#   configs/studies/management/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

te=routing.traffic_engineering
if $small; then
  racks=2 servers=4 periods=30 period="250 us" routes="512 B" solve="100 us" fail="1500 us" cut_at="1400 us" back="2200 us"
  zone=(--set topology.racks=2 --set job.0.gpus=32 --set 'job.0.collective.0.sizes=["64 MiB"]' --set job.0.collective.0.repeat=4
    --axis simulation.seed=1)
else
  racks=4 servers=8 periods=60 period="1 ms" routes="4 KiB" solve="500 us" fail="10 ms" cut_at="9500 us" back="16 ms"
  zone=(--axis simulation.seed=1..4)
fi
# The controller measures until after the longest run. Without a network its reports and routes take no time.
at_once=(--set routing.policy=traffic_engineering --set $te.demands=measured --set $te.period="$period")
managed=("${at_once[@]}" --set $te.network.fabric=management --set $te.network.controller=31 --set $te.network.servers=$servers
  --set $te.network.first_switch=8 --set $te.network.switches=$((racks + 18)) --set $te.network.periods=$periods
  --set $te.network.route_bytes="$routes" --set $te.network.solve="$solve")
# Four uplinks of the first rack fail, for good; and something of the management network, before that and for a while.
uplinks=() n=0
for ctsw in 3 11 7 15; do
  uplinks+=(--set "failure.$n.link=[\"rtsw0\", \"ctsw$ctsw\"]" --set failure.$n.at="$fail")
  ((++n))
done
cut() {  # cut NUMBER HOST LEAF: sets `gone`
  gone=(--set "failure.$1.link=[\"management.cpu$2\", \"management.leaf$3\"]" --set failure.$1.at="$cut_at" --set failure.$1.until="$back")
}

for failed in none uplinks; do
  if [[ $failed == none ]]; then down=() n=0; else down=("${uplinks[@]}") n=4; fi
  if [[ $failed == uplinks ]] || ! $small; then
    sweep ${failed}_e_ecmp zone.toml "${zone[@]}" "${down[@]}"
    sweep ${failed}_at_once zone.toml "${zone[@]}" "${down[@]}" "${at_once[@]}"
  fi
  sweep ${failed}_healthy zone.toml "${zone[@]}" "${down[@]}" "${managed[@]}"
  cut $n 31 1
  sweep ${failed}_cut zone.toml "${zone[@]}" "${down[@]}" "${managed[@]}" "${gone[@]}"
done
if ! $small; then
  far=("${managed[@]}" --set fabric.0.tier.leaf.ingress="1 ms" --set fabric.0.tier.spine.ingress="1 ms")
  sweep none_slow zone.toml "${zone[@]}" "${far[@]}"
  sweep uplinks_slow zone.toml "${zone[@]}" "${uplinks[@]}" "${far[@]}"
  zone+=("${uplinks[@]}" "${managed[@]}")
  sweep uplinks_cut_short zone.toml "${zone[@]}" "${gone[@]}" --set tcp.rto_min="5 ms" --set tcp.rto_initial="10 ms" \
    --axis tcp.ack_delay="40 ms,50 us"
  cut 4 3 0
  sweep uplinks_one_server zone.toml "${zone[@]}" "${gone[@]}"
  sweep uplinks_spine zone.toml "${zone[@]}" --set failure.4.node=management.spine0 --set failure.4.at="$cut_at"
fi
report
