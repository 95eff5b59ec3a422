#include "host/scenario/workload/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "host/scenario/workload/control_messages.hpp"
#include "host/scenario/workload/generators.hpp"
#include "host/scenario/workload/hosts.hpp"
#include "host/scenario/workload/request_ends.hpp"
#include "host/scenario/workload/workload.hpp"
#include "kernels/base/units.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

u64 poisson_messages(const GeneratorOptions& options, const SizeCdf& sizes, EndpointId first, u64 hosts,
                     const World& world) {
  const u64 bytes = sizes.empty() ? options.bytes : mean_bytes(sizes);
  const double at_line_rate =
      static_cast<double>(options.duration_ps) / nic_ps_per_byte(world.fabric, first) / static_cast<double>(bytes);
  return static_cast<u64>(static_cast<double>(hosts) * std::min(at_line_rate * options.load, 1e9));
}

/// Whether data of the class of that name goes by TCP.
bool is_tcp_class(const World& world, const std::string& name) {
  for (u32 c = 1; c < std::min(kClassNames.size(), world.fabric.classes.size()); ++c) {
    if (kClassNames[c] == name) return is_tcp(world, c);
  }
  return false;
}

void add_qps(const World& world, const std::string& traffic_class, u64 qps, WorkloadCounts& counts) {
  counts.qps += qps;
  if (is_tcp_class(world, traffic_class)) counts.tcp_qps += qps;
}

void count_requests(const GeneratorOptions& options, u32 index, const SizeCdf& sizes, u64 qps_per_pair,
                    const World& world, WorkloadCounts& counts) {
  const RequestEnds ends = request_ends(options, index, world.fabric);
  const u64 clients = ends.clients(), parts = options.stripes;
  const u64 requests = options.outstanding != 0 ? clients * options.messages
                                                : poisson_messages(options, sizes, ends.client(0), clients, world);
  counts.requests += requests;
  counts.messages += 2 * parts * requests;
  counts.waits += parts * requests * (options.outstanding != 0 ? 1 + parts : 1);
  const u64 pairs = clients * ends.servers.count * qps_per_pair * std::max(options.outstanding, 1u);
  add_qps(world, options.traffic_class, 2 * std::min(parts * requests, pairs), counts);
}

void count_telemetry(const GeneratorOptions& options, u32 index, u64 qps_per_pair, const World& world,
                     WorkloadCounts& counts) {
  const u64 hosts = request_ends(options, index, world.fabric).clients(), reports = max_telemetry_reports(options);
  counts.messages += hosts * reports;
  add_qps(world, options.traffic_class, hosts * std::min(reports, qps_per_pair), counts);
}

void count_generator(const GeneratorOptions& options, u32 index, const SizeCdf& sizes, u64 qps_per_pair,
                     const World& world, WorkloadCounts& counts) {
  if (options.kind == "requests") return count_requests(options, index, sizes, qps_per_pair, world, counts);
  if (options.kind == "telemetry") return count_telemetry(options, index, qps_per_pair, world, counts);
  const Hosts all = hosts_of_fabric(world.fabric, options.fabric, fmt::format("generator[{}]", index));
  const u64 behind_first = all.count > options.first_host ? all.count - options.first_host : 0;
  const u64 hosts = options.hosts != 0 ? options.hosts : behind_first;
  if (hosts < 2 || hosts > behind_first) return;
  if (options.kind == "poisson") {
    const u64 messages = poisson_messages(options, sizes, all.first, hosts, world);
    counts.messages += messages;
    add_qps(world, options.traffic_class, std::min(messages, hosts * (hosts - 1) * qps_per_pair), counts);
    return;
  }
  const u64 pairs = options.kind == "all_to_all" ? hosts * (hosts - 1)
                    : options.kind == "incast"   ? std::min<u64>(options.fan_in, hosts - 1)
                                                 : hosts;
  counts.messages += pairs * options.messages;
  add_qps(world, options.traffic_class, pairs * std::min<u64>(options.messages, qps_per_pair), counts);
}

}  // namespace

WorkloadCounts counts_of(const World& world) {
  const CollectivePlan& plan = world.collectives;
  WorkloadCounts counts;
  counts.messages = world.traffic.messages.size();
  counts.requests = world.traffic.requests.size();
  counts.waits = world.traffic.waits.size() + waits_of(world.programs);
  counts.collectives = plan.collectives.size();
  counts.iterations = first_iterations(world.programs).back();
  counts.qps = world.traffic.qps.size();
  counts.tcp_qps = static_cast<u64>(
      std::ranges::count_if(world.traffic.qps, [&](const Qp& qp) { return is_tcp(world, qp.traffic_class); }));
  counts.connections = plan.connections.size();
  counts.channel_ends = plan.channel_ends.size();
  counts.qps_on_use = count_qps(world) - counts.qps;
  counts.connections_on_use = count_connections(plan) - counts.connections;
  counts.several_peers = has_several_peers(plan);
  std::vector<std::pair<u32, u32>> joined;
  for (const Connection& c : plan.connections) {
    if (c.nvlink) joined.insert(joined.end(), {{c.src, c.dst}, {c.dst, c.src}});
  }
  std::ranges::sort(joined);
  counts.nvlinks = static_cast<u64>(std::unique(joined.begin(), joined.end()) - joined.begin());
  for (const Job& job : plan.jobs)
    counts.nvlinks += job.all_pairs ? job.ranks.size() * (job.all_pairs.gpus_per_server - 1) : 0;
  return counts;
}

WorkloadCounts count_messages(const WorkloadInput& input, const World& world) {
  WorkloadCounts counts;
  const u64 qps_per_pair = input.settings.qps_per_pair;
  std::map<std::tuple<u32, u32, std::string, u32>, u64> pairs;
  const auto count = [&](const MessageOptions& m) {
    const u64 waits = m.after_sent.size() + m.after_received.size();
    ++counts.messages;
    counts.waits += waits;
    if (waits != 0 && m.connection == 0) return add_qps(world, m.traffic_class, 1, counts);  // it is alone
    ++pairs[{m.src, m.dst, m.traffic_class, m.connection}];
  };
  std::ranges::for_each(input.messages, count);
  for (size_t i = 0; i < input.flows.size(); ++i) count(message_of_flow(input, i));
  for (const auto& [pair, messages] : pairs)
    add_qps(world, std::get<2>(pair), std::min(messages, qps_per_pair), counts);
  const SizeCdf no_sizes;
  for (size_t i = 0; i < input.generators.size(); ++i) {
    const SizeCdf& sizes = i < input.size_cdfs.size() ? input.size_cdfs[i] : no_sizes;
    count_generator(input.generators[i], i, sizes, qps_per_pair, world, counts);
  }
  const ControlEnds control = control_ends(input.control, world);
  counts.messages += control.messages();
  counts.waits += control.waits();
  add_qps(world, input.control.traffic_class,
          (u64{control.servers.count} + control.switches.count) * std::min<u64>(control.periods, qps_per_pair), counts);
  return counts;
}

}  // namespace heddle
