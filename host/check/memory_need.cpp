#include "host/check/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/config/units.hpp"
#include "host/controller/settings.hpp"
#include "host/error.hpp"
#include "kernels/congestion/control_info.hpp"
#include "kernels/expand/expand.hpp"
#include "kernels/outcome/counters.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

template <class T>
u64 size_of(const std::vector<T>& v) {
  return v.size() * sizeof(T);
}

/// How often something is kept that a switch pass writes under one parity while others read the other.
constexpr u64 kParities = 2;
constexpr u64 kNumberBytes = sizeof(u32);

u64 link_state_bytes(const World& world, u64 classes, u64 lossless) {
  const u64 per_link = sizeof(Egress) + sizeof(IngressPort) + sizeof(Drr) + sizeof(LinkTally) + kNumberBytes;
  const u64 per_queue = sizeof(Queue) + kParities * (sizeof(Published) + kNumberBytes);
  const u64 per_account = sizeof(Account) + sizeof(PauseReader) + kParities * kNumberBytes;
  u64 bytes = world.fabric.links.size() * (per_link + classes * per_queue + lossless * per_account);
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const bool pauses = lossless != 0 && world.fabric.links[world.fabric.links[l].reverse].ingress != kNone;
    bytes += (pauses ? pause_entries(l, world, 0) : 1) * lossless * sizeof(u64);
  }
  return bytes;
}

MemoryNeed::Part fabric_need(const World& world) {
  const Fabric& f = world.fabric;
  const NextHopTable& t = world.routing.table;
  const u64 endpoints = f.endpoints, nodes = f.nodes.size();
  u64 routes = size_of(t.set_of) + size_of(t.sets) + size_of(t.ports) + size_of(world.routing.path_first) +
               size_of(world.routing.hops) + size_of(world.routing.link_weight);
  for (const RouteEntries& version : world.routing.controller)
    routes += size_of(version.first) + size_of(version.entries);
  const Failures& failures = world.failures;
  const u64 schedule = size_of(failures.first) + size_of(failures.changes) + size_of(world.routing.row_changes) +
                       size_of(world.routing.row_change_first);
  MemoryNeed::Part part;
  part.table_bytes = size_of(f.nodes) + size_of(f.links) + size_of(f.names) + size_of(f.pools) + routes + schedule +
                     size_of(t.row_of) + endpoints * 3 * kNumberBytes;
  const std::vector<bool> used = classes_with_data(world);
  u64 classes = 2, lossless = 0;
  for (u32 c = 2; c < used.size(); ++c) classes = used[c] ? c + 1 : classes;
  for (u32 c = 0; c < std::min<u64>(f.classes.size(), classes); ++c) lossless += f.classes[c].pfc ? 1 : 0;
  const u64 condition = sizeof(LinkCondition) + lossless * sizeof(TimePs);
  const u64 conditions = failures.none() ? 0 : f.links.size() * condition;
  const u64 per_node = 3 * kNumberBytes + (1 + kParities) * sizeof(TimePs);
  const u64 per_switch = 3 * kNumberBytes + 3 * sizeof(u64);  // of up to 64 ports: a word of bits each
  const u64 per_endpoint = 13 * kNumberBytes + sizeof(Nic);
  part.state_bytes = nodes * per_node + (nodes - endpoints) * per_switch + endpoints * per_endpoint +
                     (f.links.size() - endpoints) * sizeof(TimePs) + routes + schedule + conditions +
                     f.pools.size() * (sizeof(Pool) + sizeof(PoolState)) + link_state_bytes(world, classes, lossless);
  return part;
}

std::string bytes_text(u64 bytes) { return human_quantity(static_cast<double>(bytes), Quantity::bytes); }

/// "4.2 GB for 33,546,240 connections": the largest part first.
std::string parts_text(const World& world, const WorkloadCounts& counts, const MemoryNeed& need) {
  std::vector<std::pair<u64, std::string>> parts = {
      {need.fabric.bytes(),
       fmt::format("a fabric of {} endpoints and {} links", world.fabric.endpoints, world.fabric.links.size())},
      {need.messages.bytes(), fmt::format("{} messages", counts.messages)},
      {need.qps.bytes(), fmt::format("{} queue pairs", counts.qps)},
      {need.collectives.bytes(), fmt::format("{} connections of jobs", counts.connections)}};
  std::ranges::sort(parts, std::greater());
  std::string text;
  for (const auto& [bytes, what] : parts) {
    if (bytes * 100 >= parts.front().first) text += (text.empty() ? "" : ", ") + bytes_text(bytes) + " for " + what;
  }
  return text;
}

/// By the largest part.
std::string advice(const MemoryNeed& need) {
  const u64 fabric = need.fabric.bytes(), messages = need.messages.bytes(), jobs = need.collectives.bytes();
  const u64 most = std::max({fabric, messages, jobs});
  if (fabric == most) return "build a smaller fabric ([topology]), or take a longer simulation.slot";
  if (messages == most) return "take fewer or larger messages";
  return "give jobs fewer gpus, channels or p2p_channels, or fewer qps_per_connection; "
         "an all-to-all on GPUs that carry nothing else takes far less";
}

}  // namespace

MemoryNeed memory_need(const World& world, const WorkloadCounts& counts) {
  MemoryNeed need;
  need.fabric = fabric_need(world);
  const ControlInfo* control = control_of(world.congestion);
  need.messages = {counts.messages * sizeof(Message) + counts.waits * sizeof(MessageWait),
                   counts.messages * (5 * sizeof(u64) + 3 * kNumberBytes)};
  if (counts.waits != 0)
    need.messages.state_bytes +=
        counts.messages * (3 * kNumberBytes + sizeof(u64)) + counts.waits * sizeof(WaitingMessage);
  const u64 cts = world.collectives.jobs.empty() ? 0 : sizeof(CtsStream);
  const u64 per_qp = sizeof(Sender) + sizeof(Receiver) + cts + (control == nullptr ? 0 : control->state_bytes) +
                     sender_window_bytes(world.roce) + receiver_window_bytes(world.roce) +
                     (world.roce.selective() ? sizeof(LowTimer) : 0);
  need.qps = {counts.qps * sizeof(Qp),
              counts.qps * (sizeof(SenderPlan) + sizeof(ReceiverPlan) + sizeof(Timer) + per_qp)};
  const u64 ends = counts.several_peers ? kPeersRoom : 1;
  const u64 per_lane = sizeof(LanePlan) + sizeof(LaneState) + ends * (sizeof(SendState) + sizeof(RecvState));
  const u64 ring = sizeof(NvlinkQueue) + kParities * (sizeof(Collectives::NvlinkPublished) + kNumberBytes);
  need.collectives = {counts.connections * sizeof(Connection) + counts.lanes * sizeof(Lane),
                      counts.connections * sizeof(ConnectionPlan) + counts.lanes * per_lane +
                          counts.nvlinks * (sizeof(NvlinkPlan) + kNumberBytes + 2 * ring)};
  if (counts.nvlinks != 0) need.collectives.state_bytes += world.fabric.endpoints * (kNumberBytes + 4 * sizeof(u64));
  need.collectives.table_bytes += world.collectives.laws.size() * sizeof(SliceLaw);
  need.collectives.state_bytes += world.collectives.laws.size() * sizeof(SliceLaw);
  for (const Job& job : world.collectives.jobs) {
    need.collectives.table_bytes += size_of(job.ranks);
    need.collectives.state_bytes += job.ranks.size() * (sizeof(Member) + 3 * kNumberBytes);
  }
  const ProgramPlan& programs = world.programs;
  for (const ProgramRun& run : programs.runs)
    need.collectives.state_bytes += programs.programs[run.program].streams * sizeof(StreamState);
  if (!programs.tasks.empty())
    need.collectives.state_bytes += world.fabric.endpoints * (sizeof(ProgramState) + sizeof(GpuProgram));
  need.collectives.table_bytes +=
      size_of(programs.ops) + size_of(programs.runs) + size_of(world.collectives.collectives);
  if (!world.collectives.jobs.empty()) need.collectives.state_bytes += world.fabric.endpoints * sizeof(Gpu);
  const u64 on_use = 2 * sizeof(LaneState) + ends * (sizeof(SendState) + sizeof(RecvState));
  need.collectives.state_bytes += counts.connections_on_use / 4;  // a bit a lane
  need.on_use_bytes = counts.connections_on_use * on_use + counts.qps_on_use * per_qp;
  return need;
}

u64 times_state(const World& world) { return demands_are_measured(world) ? 3 : 1; }

u64 program_bytes(u64 links, u64 messages) {
  constexpr u64 kProgram = 26'000'000;  // measured: 13 MB of libraries, as much of HDF5's caches and other buffers
  return kProgram + links * 3 * sizeof(LinkCounters) + messages * 2 * sizeof(MessageOutcome);
}

void check_memory(const World& world, const WorkloadCounts& counts, const MemoryBudget& budget) {
  const MemoryNeed need = memory_need(world, counts);
  const u64 state = budget.ranks == 0 ? 0 : times_state(world) * (need.state_bytes() / budget.ranks + kLeastPoolBytes);
  const u64 bytes = need.table_bytes() + state;
  if (bytes <= budget.limit_bytes) return;
  throw ConfigError(fmt::format(
      "memory: the tables{} of this configuration take {}{} before any packet is queued, but the run may use {} ({}): "
      "{}. Give it more (heddle run --memory SIZE), or {}",
      budget.ranks == 0 ? "" : " and the state", bytes_text(bytes),
      budget.ranks > 1 ? fmt::format(" in each of {} processes", budget.ranks) : "", bytes_text(budget.limit_bytes),
      budget.said_by, parts_text(world, counts, need), advice(need)));
}

}  // namespace heddle
