#!/usr/bin/env bash
# Receiver admission: an incast with and without it, a slow receiver, the wait for CTSs, collectives of 16 to 128 GPUs, and
# what its levers (slots, slice, channels, window, slices per CTS, eager) do to PFC and busbw.
#   configs/studies/receiver_admission/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

buffers='buffer.ctsw.bytes=500 MB,4 MB'
# slots : slice, from 4 MiB to 512 MiB on their way to one receiver
levers='job.0.slots+job.0.p2p_slice'
zone='job.0.gpus+job.0.collective.0.kind+job.0.collective.0.sizes'
ring='job.0.channels+job.0.slots+job.0.slice'
chunks='job.0.slices_per_cts+job.0.slots=1:4,2:4,1:8,2:8'
sizes='job.0.collective.0.kind+job.0.collective.0.sizes=all_to_all:["1 MiB"]'
full=(--set topology.racks=2 --set job.0.gpus=32)  # 1 GiB / 32 ranks / 16 channels: a chunk of two whole slices

if $small; then
  incast='generator.0.bytes=16 MiB' gather=(--set 'job.0.collective.0.sizes=["272 MiB"]')
  levers+='=2:128 KiB,8:128 KiB,8:2 MiB'
  slow=(--set topology.racks=4 --set job.0.gpus=64 --set 'job.0.collective.0.sizes=["256 MiB"]')
  pairs=(--set topology.racks=4 --set generator.0.bytes="128 MiB")
  zone+='=32:all_to_all:["256 MiB"]' seeds=1
  ring+='=16:4:1 MiB,16:2:1 MiB,24:4:1 MiB,24:2:1 MiB'
else
  incast='generator.0.bytes=64 MiB,1 GiB' gather=()
  levers+='=1:128 KiB,2:128 KiB,4:128 KiB,8:128 KiB,8:256 KiB,8:512 KiB,8:1 MiB,8:2 MiB'
  slow=() pairs=()
  # of an all-to-all 8 MiB to each peer, so that most slices are neither its first nor its last
  zone+='=16:all_to_all:["128 MiB"],32:all_to_all:["256 MiB"],64:all_to_all:["512 MiB"],128:all_to_all:["1 GiB"]' seeds=1
  for gpus in 16 32 64 128; do zone+=",$gpus:all_reduce:[\"1 GiB\"]"; done
  sizes+=',all_to_all:["16 MiB"],all_reduce:["64 KiB"],all_gather:["64 KiB"]'
  ring+='=16:2:256 KiB,16:4:256 KiB,16:8:256 KiB,16:2:1 MiB,16:4:1 MiB,16:8:1 MiB'
  ring+=',8:4:1 MiB,24:2:256 KiB,24:2:1 MiB,24:4:1 MiB,24:8:1 MiB'
fi

sweep zone all_to_all.toml --axis "$zone" --axis roce.cts_high_priority=true,false --axis simulation.seed=$seeds
sweep ring_levers ring.toml "${full[@]}" --axis "$ring"
sweep ring_chunks ring.toml "${full[@]}" --axis "$chunks"
sweep eager eager.toml --axis "$sizes" --axis 'job.0.eager=0 B,1 GB'
sweep gather gather.toml "${gather[@]}" --axis "$buffers" --axis 'routing.policy+job.0.qps_per_connection=ecmp:1,e_ecmp:16'
sweep gather_levers gather.toml "${gather[@]}" --axis "$levers"
sweep slow_nic ring.toml "${slow[@]}" --axis 'slow_receiver.0.drain_rate=400 Gb/s,100 Gb/s'
sweep slow_gpus ring.toml "${slow[@]}" --axis 'collective.copy_rate=100 GB/s'
sweep greedy_incast greedy_incast.toml --axis "$buffers" --axis "$incast"
sweep slow_pair greedy_pairs.toml "${pairs[@]}" --axis 'slow_receiver.0.drain_rate=400 Gb/s,100 Gb/s'
report
