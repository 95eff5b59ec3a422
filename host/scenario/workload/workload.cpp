#include "host/scenario/workload/workload.hpp"

#include <fmt/format.h>

#include <map>

#include "host/base/error.hpp"
#include "host/scenario/workload/control_messages.hpp"
#include "host/scenario/workload/counts.hpp"
#include "host/scenario/workload/generators.hpp"
#include "host/scenario/workload/jobs.hpp"
#include "host/scenario/workload/slow_receivers.hpp"

namespace heddle {
namespace {

/// message_at(i), with the origin origin_of(i), for every i below `count`. They wait for numbers of this list.
template <class MessageAt, class OriginOf>
void add_messages(size_t count, const MessageAt& message_at, const OriginOf& origin_of, TrafficBuilder& traffic) {
  u32 first = 0;
  std::map<u32, u32> connections;
  for (u32 i = 0; i < count; ++i) {
    const MessageOptions& m = message_at(i);
    const u8 traffic_class = traffic.class_number(m.traffic_class, origin_of(i));
    const auto [src, dst] = traffic.ends_of(m, origin_of(i));
    const u32 number = traffic.add_message(src, dst, m.bytes, m.post_ps, traffic_class, origin_of(i));
    if (i == 0) first = number;
    if (m.connection == 0) continue;
    const auto [own, is_new] = connections.try_emplace(m.connection, 0);
    if (is_new) own->second = traffic.add_connections();
    traffic.use(own->second, number);
  }
  for (u32 i = 0; i < count; ++i) traffic.add_waits(first + i, message_at(i), first, count, origin_of(i));
}

void check_flow_nodes(const WorkloadInput& input, const World& world) {
  const u32 endpoints = count_gpus(world.fabric);
  if (input.flow_nodes <= endpoints) return;
  throw ConfigError(fmt::format(
      "{}:{}:1: it is for {} nodes, and the fabric has {} endpoints; htsim refuses that, too: write 'Nodes {}' if "
      "the others send nothing, or take a larger topology",
      input.flow_file, input.flow_nodes_line, input.flow_nodes, endpoints, endpoints));
}

}  // namespace

MessageOptions message_of_flow(const WorkloadInput& input, size_t flow) {
  const PlainFlow& f = input.flows[flow];
  MessageOptions message{.src = f.src, .dst = f.dst, .bytes = f.bytes, .post_ps = f.start_ps};
  if (input.waits.empty()) return message;
  const PlainFlowWaits& waits = input.waits[flow];
  message.after_sent.assign(waits.sent.begin(), waits.sent.end());
  message.after_received.assign(waits.received.begin(), waits.received.end());
  message.after_count = waits.count;
  return message;
}

void build_workload(WorkloadInput input, World& world, const Admission& admit) {
  world.traffic = {};
  const CollectiveSettings settings = world.collectives.settings;
  world.collectives = {};
  world.collectives.settings = settings;
  world.programs = {};
  world.programs.handover_ps = input.settings.handover_ps;
  check_flow_nodes(input, world);
  if (input.settings.qps_per_pair == 0) throw ConfigError("workload.qps_per_pair: must be at least 1");
  const WorkloadCounts counts = count_messages(input, world);
  if (admit) admit(counts);
  TrafficBuilder traffic(input.settings, world);
  traffic.reserve(counts.messages);
  const auto& messages = input.messages;
  add_messages(
      messages.size(), [&](u32 i) -> const MessageOptions& { return messages[i]; },
      [](u32 i) {
        return Origin{"message", i};
      },
      traffic);
  add_messages(
      input.flows.size(), [&](u32 i) { return message_of_flow(input, i); },
      [&](u32 i) {
        return Origin{"message", input.flows[i].line, input.flow_file};
      },
      traffic);
  input.flows = {};
  input.flows.shrink_to_fit();
  const SizeCdf no_sizes;
  for (u32 i = 0; i < input.generators.size(); ++i) {
    const SizeCdf& sizes = i < input.size_cdfs.size() ? input.size_cdfs[i] : no_sizes;
    generate(input.generators[i], sizes, i, world, traffic);
  }
  add_control_messages(input.control, world, traffic);
  add_jobs(input.jobs, world, traffic, counts, admit);
  traffic.finish();
  add_slow_receivers(input.slow_receivers, world);
}

}  // namespace heddle
