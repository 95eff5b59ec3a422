#include "host/scenario/workload/workload.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/workload/counts.hpp"
#include "host/scenario/workload/generators.hpp"
#include "host/scenario/workload/jobs.hpp"
#include "host/scenario/workload/slow_receivers.hpp"

namespace heddle {
namespace {

/// Adds explicit messages; their dependences are numbers of this list.
void add_messages(const std::vector<MessageOptions>& messages, TrafficBuilder& traffic) {
  u32 first = 0;
  for (u32 i = 0; i < messages.size(); ++i) {
    const MessageOptions& m = messages[i];
    const Origin origin{"message", i};
    const u8 traffic_class = traffic.class_number(m.traffic_class, origin);
    const u32 number = traffic.add_message(m.src, m.dst, m.bytes, m.post_ps, traffic_class, origin);
    if (i == 0) first = number;
  }
  for (u32 i = 0; i < messages.size(); ++i)
    traffic.add_waits(first + i, messages[i], first, messages.size(), {"message", i});
}

/// Adds flows; their dependences are numbers of flows.
void add_flows(const WorkloadInput& input, TrafficBuilder& traffic) {
  const std::vector<PlainFlow>& flows = input.flows;
  if (flows.empty()) return;
  const auto origin_of = [&](u32 i) { return Origin{"message", flows[i].line, input.flow_file}; };
  const u8 traffic_class = traffic.class_number(MessageOptions{}.traffic_class, origin_of(0));
  u32 first = 0;
  for (u32 i = 0; i < flows.size(); ++i) {
    const PlainFlow& f = flows[i];
    const u32 number = traffic.add_message(f.src, f.dst, f.bytes, f.start_ps, traffic_class, origin_of(i));
    if (i == 0) first = number;
  }
  for (u32 i = 0; i < input.waits.size(); ++i) {
    const PlainFlowWaits& waits = input.waits[i];
    MessageOptions waiting;
    waiting.after_sent.assign(waits.sent.begin(), waits.sent.end());
    waiting.after_received.assign(waits.received.begin(), waits.received.end());
    waiting.after_count = waits.count;
    traffic.add_waits(first + i, waiting, first, flows.size(), origin_of(i));
  }
}

void check_flow_nodes(const WorkloadInput& input, const World& world) {
  if (input.flow_nodes <= world.fabric.endpoints) return;
  throw ConfigError(fmt::format(
      "{}:{}:1: it is for {} nodes, and the fabric has {} endpoints; htsim refuses that, too: write 'Nodes {}' if "
      "the others send nothing, or take a larger topology",
      input.flow_file, input.flow_nodes_line, input.flow_nodes, world.fabric.endpoints, world.fabric.endpoints));
}

}  // namespace

void build_workload(WorkloadInput input, World& world, const Admission& admit) {
  world.traffic = {};
  const CollectiveSettings settings = world.collectives.settings;
  world.collectives = {};
  world.collectives.settings = settings;
  world.programs = {};
  check_flow_nodes(input, world);
  if (input.settings.qps_per_pair == 0) throw ConfigError("workload.qps_per_pair: must be at least 1");
  const WorkloadCounts counts = count_messages(input, world);
  if (admit) admit(counts);
  TrafficBuilder traffic(input.settings, world);
  traffic.reserve(counts.messages);
  add_messages(input.messages, traffic);
  add_flows(input, traffic);
  input.flows = {};
  input.flows.shrink_to_fit();
  const SizeCdf no_sizes;
  for (u32 i = 0; i < input.generators.size(); ++i) {
    const SizeCdf& sizes = i < input.size_cdfs.size() ? input.size_cdfs[i] : no_sizes;
    generate(input.generators[i], sizes, i, world, traffic);
  }
  add_jobs(input.jobs, world, traffic, counts, admit);
  traffic.finish();
  add_slow_receivers(input.slow_receivers, world);
}

}  // namespace heddle
