#include "host/scenario/memory/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/base/error.hpp"
#include "host/base/quantity_text.hpp"
#include "host/scenario/controller/settings.hpp"
#include "host/scenario/topology/transports.hpp"
#include "io/formats/plain.hpp"
#include "io/results/file_size.hpp"
#include "io/results/iterations.hpp"
#include "io/results/summaries.hpp"
#include "kernels/congestion/controls.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/outcome/counters.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/routing/policy_state.hpp"

namespace heddle {
namespace {

template <class T>
u64 size_of(const std::vector<T>& v) {
  return v.size() * sizeof(T);
}

/// Copies of state that a switch pass writes under one parity while other passes read the other.
constexpr u64 kParities = 2;
constexpr u64 kNumberBytes = sizeof(u32);

/// Classes that the engine keeps queues for, and how many of them are paused.
struct KeptClasses {
  u64 all = 2, lossless = 0;

  explicit KeptClasses(const World& world) {
    const std::vector<bool> used = classes_with_data(world);
    for (u32 c = 2; c < used.size(); ++c) all = used[c] ? c + 1 : all;
    const auto& classes = world.fabric.classes;
    for (u32 c = 0; c < std::min<u64>(classes.size(), all); ++c) lossless += classes[c].pfc ? 1 : 0;
  }
};

/// Bytes of the pause changes that a link still has to obey.
u64 pause_bytes(const World& world, LinkId link, u64 lossless) {
  const bool pauses = lossless != 0 && world.fabric.links[world.fabric.links[link].reverse].ingress != kNone;
  return (pauses ? pause_entries(link, world, 0) : 1) * lossless * sizeof(u64);
}

u64 link_state_bytes(const World& world, const KeptClasses& classes) {
  const u64 per_link = sizeof(Egress) + sizeof(IngressPort) + sizeof(Drr) + sizeof(LinkTally) + kNumberBytes;
  const u64 per_queue = sizeof(Queue) + kParities * (sizeof(Published) + kNumberBytes);
  const u64 per_account = sizeof(Account) + sizeof(PauseReader) + kParities * kNumberBytes;
  u64 bytes = world.fabric.links.size() * (per_link + classes.all * per_queue + classes.lossless * per_account);
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) bytes += pause_bytes(world, l, classes.lossless);
  return bytes;
}

/// What routing policies keep for every ingress queue.
u64 policy_bytes(const World& world, const KeptClasses& classes) {
  u64 words = 0;
  for (NodeId s = world.fabric.endpoints; s < world.fabric.nodes.size(); ++s)
    words += policy_state_words(world, s) * world.fabric.nodes[s].ports;
  const bool samples = any_policy(world, &PolicyInfo::samples_queues);
  return words * classes.all * sizeof(u64) + (samples ? world.fabric.links.size() * sizeof(SampledQueue) : 0);
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
  const KeptClasses classes(world);
  const u64 condition = sizeof(LinkCondition) + classes.lossless * sizeof(TimePs);
  const u64 conditions = failures.none() ? 0 : f.links.size() * condition;
  const u64 per_node = 3 * kNumberBytes + (1 + kParities) * sizeof(TimePs);
  const u64 per_switch = 3 * kNumberBytes + 3 * sizeof(u64);  // for up to 64 ports: a word of bits each
  const u64 per_endpoint = 13 * kNumberBytes + sizeof(Nic);
  part.state_bytes = nodes * per_node + (nodes - endpoints) * per_switch + endpoints * per_endpoint +
                     (f.links.size() - endpoints) * sizeof(TimePs) + routes + schedule + conditions +
                     f.pools.size() * (sizeof(Pool) + sizeof(PoolState)) + link_state_bytes(world, classes) +
                     policy_bytes(world, classes);
  return part;
}

/// Messages on their way into tables (TrafficBuilder), and the flows read for them; unnumbered queue pairs.
u64 making_bytes_of(const WorkloadCounts& counts) {
  constexpr u64 kPendingMessage = 48, kReadMessage = sizeof(PlainFlow), kPendingQp = sizeof(Qp) + 2 * kNumberBytes + 16;
  constexpr u64 kPendingConnection = 64;
  return counts.messages * (kPendingMessage + kReadMessage) + counts.qps * kPendingQp +
         counts.connections * kPendingConnection;
}

/// The completion state, and at the end the outcome, its text, and the rows of the result file.
u64 outcome_bytes_of(const World& world, const WorkloadCounts& counts) {
  const u64 links = world.fabric.links.size();
  return counts.messages * (sizeof(MessageOutcome) + sizeof(MessageTime) + 3 * sizeof(u64)) +
         counts.collectives * (sizeof(CollectiveOutcome) + sizeof(u64)) +
         counts.iterations * (sizeof(IterationOutcome) + sizeof(IterationRow)) +
         links * (sizeof(LinkOutcome) + 3 * sizeof(LinkCounters)) +
         end_buffer_bytes(counts.messages, counts.requests, counts.collectives, counts.iterations, links);
}

/// "4.2 GB for 33,546,240 connections": the largest part first.
std::string parts_text(const World& world, const MemoryNeed& need) {
  std::vector<std::pair<u64, std::string>> parts = {
      {need.fabric.bytes(),
       fmt::format("a fabric of {} endpoints and {} links", world.fabric.endpoints, world.fabric.links.size())},
      {need.messages.bytes(), fmt::format("{} messages", need.counts.messages)},
      {need.qps.bytes(), fmt::format("{} queue pairs", need.counts.qps)},
      {need.collectives.bytes(),
       fmt::format("{} connections and {} collectives of jobs", need.counts.connections, need.counts.collectives)},
      {need.outcome_bytes, "what becomes of all of these"},
      {need.making_bytes, "what is in use while tables are made"},
      {kProgramBytes, "the program"}};
  std::ranges::sort(parts, std::greater());
  std::string text;
  for (const auto& [bytes, what] : parts) {
    if (bytes * 100 >= parts.front().first) text += (text.empty() ? "" : ", ") + bytes_text(bytes) + " for " + what;
  }
  return text;
}

/// By the largest part; nothing where that is the program itself.
std::string advice(const MemoryNeed& need) {
  const u64 fabric = need.fabric.bytes(), messages = need.messages.bytes(), jobs = need.collectives.bytes();
  const u64 most = std::max({fabric, messages, jobs});
  if (most < kProgramBytes) return "";
  if (fabric == most) return ", or build a smaller fabric ([topology]), or take a longer simulation.slot";
  if (messages == most) return ", or take fewer or larger messages";
  if (need.counts.collectives > need.counts.connections) return ", or run fewer iterations, or a smaller repeat";
  return ", or give jobs fewer gpus, channels or p2p_channels, or fewer qps_per_connection; "
         "an all-to-all on GPUs that carry nothing else takes far less";
}

/// State of a connection of TCP at both ends: a bit for each segment of the window, and what they count and time.
u64 tcp_state_bytes(const World& world) {
  return sizeof(TcpSender) + sizeof(TcpReceiver) + 3 * world.tcp.window_segments / 8;
}

}  // namespace

MemoryNeed memory_need(const World& world, const WorkloadCounts& counts) {
  MemoryNeed need;
  need.counts = counts;
  need.fabric = fabric_need(world);
  need.messages = {counts.messages * sizeof(Message) + counts.waits * sizeof(MessageWait),
                   counts.messages * (2 * sizeof(u64) + sizeof(SentMessage) + sizeof(ReceivedMessage))};
  if (counts.waits != 0)
    need.messages.state_bytes +=
        counts.messages * (3 * kNumberBytes + sizeof(u64)) + counts.waits * sizeof(WaitingMessage);
  const u64 cts = world.collectives.jobs.empty() ? 0 : sizeof(CtsStream);
  const u64 per_qp = sizeof(Sender) + sizeof(Receiver) + cts + control_state_bytes(world.congestion) +
                     sender_window_bytes(world.roce) + receiver_window_bytes(world.roce) +
                     (world.roce.selective() ? sizeof(LowTimer) : 0);
  need.qps = {counts.qps * sizeof(Qp),
              counts.qps * (sizeof(SenderPlan) + sizeof(ReceiverPlan) + sizeof(Timer) + per_qp) +
                  counts.tcp_qps * tcp_state_bytes(world)};
  const u64 ends = counts.several_peers ? kPeersRoom : 1;
  const u64 per_channel_end =
      sizeof(ChannelEndPlan) + sizeof(ChannelEndState) + ends * (sizeof(SendState) + sizeof(RecvState));
  const u64 ring = sizeof(NvlinkQueue) + kParities * (sizeof(Collectives::NvlinkPublished) + kNumberBytes);
  need.collectives = {counts.connections * sizeof(Connection) + counts.channel_ends * sizeof(ChannelEnd),
                      counts.connections * sizeof(ConnectionPlan) + counts.channel_ends * per_channel_end +
                          counts.nvlinks * (sizeof(NvlinkPlan) + kNumberBytes + 2 * ring)};
  if (counts.nvlinks != 0) need.collectives.state_bytes += world.fabric.endpoints * (kNumberBytes + 4 * sizeof(u64));
  need.collectives.table_bytes += world.collectives.schedules.size() * sizeof(SliceSchedule);
  need.collectives.state_bytes += world.collectives.schedules.size() * sizeof(SliceSchedule);
  for (const Job& job : world.collectives.jobs) {
    need.collectives.table_bytes += size_of(job.ranks);
    need.collectives.state_bytes += job.ranks.size() * (sizeof(Member) + 3 * kNumberBytes);
  }
  const ProgramPlan& programs = world.programs;
  for (const ProgramRun& run : programs.runs)
    need.collectives.state_bytes += programs.programs[run.program].streams * sizeof(StreamState);
  if (!programs.tasks.empty())
    need.collectives.state_bytes += world.fabric.endpoints * (sizeof(ProgramState) + sizeof(GpuProgram));
  need.collectives.table_bytes += size_of(programs.ops) + size_of(programs.runs);
  if (!world.collectives.jobs.empty()) need.collectives.state_bytes += world.fabric.endpoints * sizeof(Gpu);
  need.collectives.table_bytes += counts.collectives * (sizeof(Collective) + kNumberBytes);
  need.collectives.state_bytes += counts.collectives * (sizeof(CollectiveStep) + sizeof(CollectiveOutcome));
  need.collectives.state_bytes += counts.iterations * sizeof(IterationOutcome) + size_of(programs.ops);
  need.making_bytes = making_bytes_of(counts);
  need.outcome_bytes = outcome_bytes_of(world, counts);
  const u64 on_use = 2 * sizeof(ChannelEndState) + ends * (sizeof(SendState) + sizeof(RecvState));
  need.collectives.state_bytes += counts.connections_on_use / 4;  // a bit a channel end
  need.on_use_bytes = counts.connections_on_use * on_use + counts.qps_on_use * per_qp;
  return need;
}

u64 unused_pause_bytes(const World& world, const std::vector<bool>& pauses) {
  const u64 lossless = KeptClasses(world).lossless;
  u64 bytes = 0;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l)
    bytes += pauses[world.fabric.links[l].src] ? 0 : pause_bytes(world, l, lossless);
  return bytes;
}

u64 times_state(const World& world) { return demands_are_measured(world) ? 3 : 1; }

u64 peak_bytes(const MemoryNeed& need, u64 state_and_packets_bytes) {
  return with_margin(kProgramBytes + need.table_bytes() +
                     std::max(need.making_bytes, state_and_packets_bytes + need.outcome_bytes));
}

u64 min_peak_bytes(const World& world, const MemoryNeed& need, u32 ranks) {
  if (ranks == 0) return with_margin(kProgramBytes + need.table_bytes() + need.making_bytes);
  return peak_bytes(need, times_state(world) * (need.state_bytes() / ranks + kMinPoolBytes));
}

void check_memory(const World& world, const MemoryNeed& need, const MemoryBudget& budget) {
  const u64 bytes = min_peak_bytes(world, need, budget.ranks);
  if (bytes <= budget.limit_bytes) return;
  throw ConfigError(
      fmt::format("memory: this configuration takes {}{} before any packet is queued, but the run may use {} ({}): {}. "
                  "Give it more (heddle run --memory SIZE){}",
                  bytes_text(bytes), budget.ranks > 1 ? fmt::format(" in each of {} processes", budget.ranks) : "",
                  bytes_text(budget.limit_bytes), budget.said_by, parts_text(world, need), advice(need)));
}

}  // namespace heddle
