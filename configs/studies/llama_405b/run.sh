#!/usr/bin/env bash
# Llama 3 405B with DCQCN off and on. A stage of 1,024 GPUs on a sixteenth of the fabric, at 1/16, 1/4 and all of a layer's
# parameters; two stages on an eighth, at 1/16 and 1/4; all 16 stages, 16,384 GPUs, at 1/16. And what one ring alone waits for.
#   configs/studies/llama_405b/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

dcqcn='dcqcn.enabled=false,true'
width='job.0.training.hidden+job.0.training.ffn_hidden'
sixteenth=4096:13312 quarter=8192:26624 whole=16384:53248

# stages N RACKS: a job of so many stages, on so many racks a zone of one server each
stages() {
  keys=(--set job.0.training.layers="$1" --set job.0.training.pipeline_parallel="$1" --set topology.racks="$2"
    --set topology.gpus_per_rack=8 --set topology.ctsws=9 --set topology.uplinks_per_rtsw=9
    --set topology.atsws=$(($2 / 8)) --set topology.uplinks_per_ctsw=$(($2 / 8)))
}

# One ring: two protocols, more channels, CTSWs of 0.2 instead of 7.85 us, sprayed packets.
ring='job.0.protocol+job.0.channels+latency.ctsw_ingress+latency.ctsw_egress+routing.policy+roce.recovery='
deep='3925 ns:3925 ns' hashed='e_ecmp:go_back_n'
ring+="ll128:2:$deep:$hashed,simple:2:$deep:$hashed,ll128:4:$deep:$hashed,ll128:8:$deep:$hashed"
ring+=",ll128:2:100 ns:100 ns:$hashed,ll128:2:$deep:spray:selective_repeat"

if $small; then
  stages 1 8
  sweep one_stage stages.toml "${keys[@]}" --set job.0.training.sequence_length=1024 --set job.0.qps_per_connection=2 --axis "$width=1024:3328,2048:6656" --axis "$dcqcn"
  sweep one_ring ring.toml --set 'job.0.collective.0.sizes=["25 MB"]' --axis "$ring"
else
  sweep one_ring ring.toml --axis "$ring"
  stages 1 16
  sweep one_stage stages.toml "${keys[@]}" --axis "$width=$sixteenth,$quarter,$whole" --axis "$dcqcn"
  stages 2 32
  sweep two_stages stages.toml "${keys[@]}" --axis "$width=$sixteenth,$quarter" --axis "$dcqcn"
  sweep all_stages stages.toml --axis "$width=$sixteenth" --axis "$dcqcn"
fi
report
