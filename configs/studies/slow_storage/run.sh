#!/usr/bin/env bash
# GPUs read their data from storage servers in four racks, of which one is slow: what do iterations lose?
#   configs/studies/slow_storage/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

data=job.0.training.data
if $small; then
  job=(--set job.0.gpus=16 --set job.0.training.iterations=4 --set job.0.training.forward="500 us" --set job.0.training.hidden=256
    --set job.0.training.ffn_hidden=256 --set job.0.training.vocabulary=256 --set $data.bytes_per_gpu="4 MiB" --axis simulation.seed=1)
  chunks="4 MiB,512 KiB" rates=10
else
  job=(--axis simulation.seed=1,2)
  chunks="16 MiB,1 MiB" rates="50 25 10"
fi
how=(--axis $data.prefetch=true,false --axis $data.chunk="$chunks")

sweep healthy reads.toml "${job[@]}" "${how[@]}"
# All four uplinks of the first rack of storage servers, in both directions, from before the run on.
slow=() keys="" values=""
for spine in 0 1 2 3; do
  slow+=(--set "failure.$spine.link=[\"frontend.leaf4\", \"frontend.spine$spine\"]" --set failure.$spine.kind=rate)
  keys+="+failure.$spine.rate"
done
for rate in $rates; do values+=",$rate Gb/s:$rate Gb/s:$rate Gb/s:$rate Gb/s"; done
sweep rack reads.toml "${job[@]}" "${how[@]}" "${slow[@]}" --axis "${keys:1}=${values:1}"
# One server of that rack instead.
if ! $small; then
  sweep server reads.toml "${job[@]}" "${how[@]}" --set 'failure.0.link=["frontend.leaf4", "frontend.storage0"]' --set failure.0.kind=rate \
    --set failure.0.rate="10 Gb/s"
fi
report
