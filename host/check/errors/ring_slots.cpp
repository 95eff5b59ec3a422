#include "host/check/errors/ring_slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

/// Slices of the largest chunk that a collective has.
u32 slices_of_chunk(const Collective& collective, const SliceSchedule& schedule) {
  return std::max(schedule.full > 0 ? collective.slices_full : 0,
                  schedule.total > schedule.full ? collective.slices_tail : 0);
}

/// The fewest slots with which the ranks do not all wait for the next one to free a slot. With one slot and two slices,
/// say, a rank sends the first slice and fills its send slot with the second; the next rank admits the second once it
/// has passed the first one on, for which it lacks a send slot in the same way. With one hop no slice is passed on.
/// NVLink has no send slots: a slice leaves when it is admitted, so a ring of NVLink alone needs one slot more to pass
/// slices on, and cannot even send all slices of a chunk with fewer slots than that.
u32 min_slots(const World& world, const Job& job, const Collective& collective) {
  const CollectivePlan& plan = world.collectives;
  const u32 slices = slices_of_chunk(collective, plan.schedules[collective.schedule]), hops = collective.phases - 1;
  const ChannelEndGroup& group = job.groups[collective.group];
  const auto first = plan.connections.begin() + group.first_connection;
  const bool only_nvlink = std::all_of(first, first + group.connections, [](const Connection& c) { return c.nvlink; });
  if (only_nvlink) return slices + (hops > 1);
  return hops > 1 ? slices : 1;
}

}  // namespace

std::vector<std::string> ring_slot_problems(const World& world) {
  std::vector<std::string> problems;
  std::set<u32> told;  // jobs of the configuration already reported
  for (const Job& job : world.collectives.jobs) {
    const u32 j = job.number;
    if (told.contains(j)) continue;
    for (const u32 id : job.collectives) {
      const Collective& collective = world.collectives.collectives[id];
      if (collective.phases == 1) continue;
      const u32 least = min_slots(world, job, collective);
      if (collective.slots >= least) continue;
      const u32 slices = slices_of_chunk(collective, world.collectives.schedules[collective.schedule]);
      problems.push_back(fmt::format(
          "job[{0}].slots = {1}: a chunk of its rings is {2} slice{3} (job[{0}].slices_per_chunk), which takes at "
          "least {4} slots{5}: with fewer, every rank waits for ever for the next one to free a slot, on any fabric; "
          "set job[{0}].slots to {4} or more (0: 4, as NCCL has){6}",
          j, collective.slots, slices, slices == 1 ? "" : "s", least, least > slices ? " where all is NVLink" : "",
          least - slices + 1 <= collective.slots ? fmt::format(", or job[{}].slices_per_chunk = 1", j) : ""));
      told.insert(j);
      break;
    }
  }
  return problems;
}

}  // namespace heddle
