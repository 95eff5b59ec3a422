#include "tests/oracle/slices.hpp"

#include <algorithm>

namespace heddle::oracle {
namespace {
constexpr u64 kPartGranuleBytes = 128;  // NCCL cuts split slices at multiples of it
}

u64 slice_bytes(const SliceLaw& law, u64 index) {
  return index < law.full ? law.full_bytes : law.tail_bytes[(index - law.full) % law.tail_period];
}

/// A ring lane works in loops of `phases` phases: the first only sends, the last only receives, those between do both.
/// So a loop of (phases - 1) * n slices per connection takes phases * n operations.
u64 operations(const Collective& collective, const SliceLaw& law) {
  if (collective.phases == 1) return law.total;
  u64 hops = collective.phases - 1;
  return (law.full / hops + (law.total - law.full) / hops) * collective.phases;
}

Operation operation(const CollectivePlan& plan, const Collective& collective, const Lane& lane, u64 k) {
  if (collective.phases == 1) return {lane.recv != kNone, lane.send != kNone, k, k};
  u64 phases = collective.phases;
  u64 hops = phases - 1;
  u64 full_slices = plan.laws[collective.law].full;
  u64 full_operations = full_slices / hops * phases;
  bool tail = k >= full_operations;
  u64 per_phase = tail ? collective.slices_tail : collective.slices_full;
  u64 within = tail ? k - full_operations : k;
  u64 loop = within / (phases * per_phase);
  u64 phase = within / per_phase % phases;
  u64 first = (tail ? full_slices : 0) + loop * hops * per_phase + within % per_phase;
  Operation op;
  op.receives = phase > 0;
  op.sends = phase < hops;
  if (op.sends) op.send_index = first + phase * per_phase;
  if (op.receives) op.recv_index = first + (phase - 1) * per_phase;
  return op;
}

u64 first_slice_of(const CollectivePlan& plan, u32 job, std::size_t position) {
  u64 first = 0;
  const Job& j = plan.jobs[job];
  for (std::size_t p = 0; p < position; ++p) first += plan.laws[plan.collectives[j.collectives[p]].law].total;
  return first;
}

u64 bytes_of_slice(const CollectivePlan& plan, u32 job, u64 slice) {
  for (u32 c : plan.jobs[job].collectives) {
    const SliceLaw& law = plan.laws[plan.collectives[c].law];
    if (slice < law.total) return slice_bytes(law, slice);
    slice -= law.total;
  }
  return 0;
}

std::vector<SlicePart> parts_of_slice(QpScaling scaling, u32 qps, u64 slice, u64 bytes) {
  if (scaling == QpScaling::round_robin) return {{static_cast<u32>(slice % qps), bytes}};
  u64 granule = u64{qps} * kPartGranuleBytes;
  u64 part = (bytes + granule - 1) / granule * kPartGranuleBytes;
  std::vector<SlicePart> parts;
  for (u32 q = 0; q < qps; ++q) parts.push_back({q, std::min(part, bytes - std::min(bytes, q * part))});
  return parts;
}

u32 job_of(const CollectivePlan& plan, u32 connection) {
  for (u32 j = 0; j < plan.jobs.size(); ++j) {
    const Job& job = plan.jobs[j];
    if (connection >= job.first_connection && connection < job.first_connection + job.connections) return j;
  }
  return kNone;
}

}  // namespace heddle::oracle
