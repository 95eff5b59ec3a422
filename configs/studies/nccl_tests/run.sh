#!/usr/bin/env bash
# Every collective on 16 GPUs from 8 B to 8 GiB, and all-reduce on 512 up to 16 MiB, as nccl-tests runs them.
#   configs/studies/nccl_tests/run.sh HEDDLE [OUT_FOLDER] [--small]
source "$(dirname "${BASH_SOURCE[0]}")/../study.sh"

# sizes FIRST LAST STEP: powers of two from 2^FIRST to 2^LAST bytes, every STEP-th
sizes() {
  local text='' power
  for ((power = $1; power <= $2; power += $3)); do text+="\"$((1 << power)) B\", "; done
  echo "job.0.collective.0.sizes=[${text%, }]"
}
kinds='job.0.collective.0.kind=all_gather,reduce_scatter,broadcast,reduce,all_to_all,gather,scatter,send_recv'
ways='job.0.algorithm+job.0.protocol=ring:ll,ring:ll128,ring:simple,tree:ll,tree:ll128,tree:simple'

large=(--set topology.racks=32 --set job.0.gpus=512 --set routing.policy=e_ecmp --set job.0.qps_per_connection=16
  --set job.0.qp_scaling=split --axis simulation.seed=1)

if $small; then
  sweep all sizes.toml --axis "$kinds" --set "$(sizes 3 27 6)"
  sweep all_reduce sizes.toml --axis simulation.seed=1 --set "$(sizes 3 27 6)"
  sweep ways sizes.toml --axis "$ways" --set "$(sizes 3 27 12)"
  sweep many sizes.toml "${large[@]}" --set "$(sizes 3 15 6)"
else
  sweep all sizes.toml --axis "$kinds" --set "$(sizes 3 33 3)"
  sweep all_reduce sizes.toml --axis simulation.seed=1 --set "$(sizes 3 33 3)"
  sweep ways sizes.toml --axis "$ways" --set "$(sizes 3 33 3)"
  sweep many sizes.toml "${large[@]}" --set "$(sizes 3 24 3)"
fi
report
