#!/usr/bin/env bash
# Two collectives x two speeds x DCQCN off, strict, tuned; five seeds, as marks are drawn.
#   configs/studies/dcqcn/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

# off; strict: the thresholds of the DCQCN paper (5 KB, 200 KB, 1 %), not scaled; tuned: the files' own
settings='dcqcn.enabled+ecn.kmin+ecn.kmax+ecn.pmax+ecn.scale_with_rate=false:800 KB:3200 KB:0.2:true'
settings+=',true:5 KB:200 KB:0.01:false,true:800 KB:3200 KB:0.2:true'
rates='link.host_rate+link.rtsw_ctsw_rate=200 Gb/s,400 Gb/s'

if $small; then
  reduce=(--set 'job.0.collective.0.sizes=["128 MiB"]')
  exchange=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["16 MiB"]') seeds=1
else
  reduce=() exchange=() seeds=1..5
fi

sweep all_reduce all_reduce.toml "${reduce[@]}" --axis "$rates" --axis "$settings" --axis simulation.seed=$seeds
sweep all_to_all all_to_all.toml "${exchange[@]}" --axis "$rates" --axis "$settings" --axis simulation.seed=$seeds
report
