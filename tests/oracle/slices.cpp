#include "tests/oracle/slices.hpp"

#include <algorithm>
#include <stdexcept>

namespace heddle::oracle {
namespace {
constexpr u64 kPartGranuleBytes = 128;  // NCCL cuts split slices at multiples of it
}

u64 slice_bytes(const SliceSchedule& schedule, u64 index) {
  return index < schedule.full ? schedule.full_bytes
                               : schedule.tail_bytes[(index - schedule.full) % schedule.tail_period];
}

/// A ring channel end works in loops of `phases` phases: the first only sends, the last only receives, the phases
/// between do both. So a loop of (phases - 1) * n slices per connection takes phases * n operations. A relay passes on
/// every slice.
u64 operations(const Collective& collective, const ChannelEnd& channel_end, const SliceSchedule& schedule) {
  if (collective.phases == 1 || channel_end.relays) return schedule.total;
  u64 hops = collective.phases - 1;
  return (schedule.full / hops + (schedule.total - schedule.full) / hops) * collective.phases;
}

Operation operation(const CollectivePlan& plan, const Collective& collective, const ChannelEnd& channel_end, u64 k) {
  if (collective.phases == 1 || channel_end.relays) return {!channel_end.recv.none(), !channel_end.send.none(), k, k};
  u64 phases = collective.phases;
  u64 hops = phases - 1;
  u64 full_slices = plan.schedules[collective.schedule].full;
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

const SliceSchedule& schedule_on(const CollectivePlan& plan, const Collective& collective, u32 connection) {
  const ChannelEndGroup& group = plan.jobs[collective.job].groups[collective.group];
  const u32 each = group.connections / collective.schedules;
  return plan.schedules[collective.schedule + (each == 0 ? 0 : (connection - group.first_connection) / each)];
}

const SliceSchedule& schedule_of_channel_end(const CollectivePlan& plan, const Collective& collective,
                                             const ChannelEnd& channel_end) {
  return schedule_on(plan, collective, (channel_end.recv.none() ? channel_end.send : channel_end.recv).connection[0]);
}

u64 first_slice_of(const CollectivePlan& plan, u32 job, std::size_t position, u32 connection) {
  u64 first = 0;
  const Job& j = plan.jobs[job];
  for (std::size_t p = 0; p < position; ++p) {
    const Collective& c = plan.collectives[j.collectives[p]];
    if (c.group == plan.collectives[j.collectives[position]].group) first += schedule_on(plan, c, connection).total;
  }
  return first;
}

u64 end_of_admission(const CollectivePlan& plan, u32 job, std::size_t position, u32 connection) {
  const Job& j = plan.jobs[job];
  const Collective& now = plan.collectives[j.collectives[position]];
  u64 end = first_slice_of(plan, job, position, connection) + schedule_on(plan, now, connection).total;
  for (std::size_t p = position + 1; p < j.collectives.size(); ++p) {
    const Collective& next = plan.collectives[j.collectives[p]];
    if (next.group != now.group || next.composed) continue;
    if (!next.eager || next.protocol != now.protocol || next.slots != now.slots) break;
    end += schedule_on(plan, next, connection).total;
  }
  return end;
}

SliceOfCollective slice_of_connection(const CollectivePlan& plan, u32 connection, u64 slice) {
  const Place place = place_of(plan, connection);
  for (u32 id : plan.jobs[place.job].collectives) {
    const Collective& c = plan.collectives[id];
    if (c.group != place.group) continue;
    const SliceSchedule& schedule = schedule_on(plan, c, connection);
    if (slice < schedule.total) return {&c, slice_bytes(schedule, slice)};
    slice -= schedule.total;
  }
  throw std::logic_error("a connection has no such slice");
}

std::vector<SlicePart> parts_of_slice(QpScaling scaling, u32 qps, u64 slice, u64 bytes) {
  if (scaling == QpScaling::round_robin) return {{static_cast<u32>(slice % qps), bytes}};
  u64 granule = u64{qps} * kPartGranuleBytes;
  u64 part = (bytes + granule - 1) / granule * kPartGranuleBytes;
  std::vector<SlicePart> parts;
  for (u32 q = 0; q < qps; ++q) parts.push_back({q, std::min(part, bytes - std::min(bytes, q * part))});
  return parts;
}

Place place_of(const CollectivePlan& plan, u32 connection) {
  for (u32 j = 0; j < plan.jobs.size(); ++j) {
    for (u32 g = 0; g < plan.jobs[j].groups.size(); ++g) {
      const ChannelEndGroup& group = plan.jobs[j].groups[g];
      if (connection >= group.first_connection && connection < group.first_connection + group.connections)
        return {j, g};
    }
  }
  throw std::logic_error("a connection belongs to no job");
}

std::vector<u32> connections_of(const Peers& peers) {
  std::vector<u32> connections;
  for (u32 c : peers.connection) {
    if (c != kNone) connections.push_back(c);
  }
  return connections;
}

}  // namespace heddle::oracle
