#include "host/workload/counts.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// A ring is one connection per GPU and channel; it goes through a server from one GPU to the next.
void add_ring(const JobOptions& job, u64 gpus, WorkloadCounts& counts) {
  const u64 channels = job.channels != 0 ? job.channels : std::max(job.gpus_per_server < 2 ? 2u : job.gpus_per_server, 2u);
  const u64 per_server = job.gpus_per_server, servers = gpus / per_server;
  const u64 between_servers = servers > 1 ? servers : 0;
  counts.connections += channels * gpus;
  counts.lanes += channels * gpus;
  counts.qps += channels * between_servers * job.qps_per_connection;
  // Neighbours on the circle of a server's GPUs, as far as some channel joins them; both directions.
  const u64 joined = servers > 1 && channels < 2 ? per_server - 1 : per_server;
  counts.nvlinks += per_server < 2 ? 0 : per_server == 2 ? 2 * servers : 2 * joined * servers;
}

/// `pairs` of GPUs, of which `inside` lie in one server, with p2p_channels connections and two lanes each.
void add_pairs(const JobOptions& job, u64 pairs, u64 inside, WorkloadCounts& counts) {
  counts.connections += pairs * job.p2p_channels;
  counts.lanes += 2 * pairs * job.p2p_channels;
  counts.qps += (pairs - inside) * job.p2p_channels * job.qps_per_connection;
}

/// GPUs that a job will find, as place() in jobs.cpp does.
u64 gpus_of(const JobOptions& job, const World& world, u64& taken) {
  const u64 endpoints = world.fabric.endpoints, per_server = std::max(job.gpus_per_server, 1u);
  const u64 behind_first = endpoints > job.first_gpu ? endpoints - job.first_gpu : 0;
  const u64 free = job.share_gpus ? behind_first : std::min(behind_first, endpoints - std::min(endpoints, taken));
  u64 gpus = free / per_server * per_server;
  if (job.placement == "fragmented") gpus = gpus / (2 * per_server) * per_server;
  if (job.gpus != 0) gpus = std::min<u64>(gpus, job.gpus);
  if (!job.share_gpus) taken += gpus;
  return gpus;
}

void add_job(const JobOptions& job, u64 gpus, WorkloadCounts& counts) {
  if (gpus < 2 || job.gpus_per_server == 0 || job.collectives.empty()) return;
  const std::string& kind = job.collectives.front().kind;
  const u64 per_server = job.gpus_per_server;
  if (kind == "all_to_all") {
    const u64 inside = gpus * (per_server - 1);
    add_pairs(job, gpus * (gpus - 1), inside, counts);
    counts.nvlinks += inside;
  } else if (kind == "gather") {
    add_pairs(job, gpus - 1, per_server - 1, counts);
    counts.nvlinks += 2 * (per_server - 1);
  } else {
    add_ring(job, gpus, counts);
  }
}

u64 poisson_messages(const GeneratorOptions& options, const SizeCdf& sizes, u64 hosts, const World& world) {
  const u64 bytes = sizes.empty() ? options.bytes : mean_bytes(sizes);
  const u32 speed = world.fabric.links[world.fabric.nodes[0].first_link].ps_per_byte_q16;
  const double at_line_rate = static_cast<double>(bytes_in_ps(options.duration_ps, speed)) / static_cast<double>(bytes);
  return static_cast<u64>(static_cast<double>(hosts) * std::min(at_line_rate * options.load, 1e9));
}

void add_generator(const GeneratorOptions& options, const SizeCdf& sizes, const WorkloadInput& input,
                   const World& world, WorkloadCounts& counts) {
  const u64 endpoints = world.fabric.endpoints;
  const u64 behind_first = endpoints > options.first_host ? endpoints - options.first_host : 0;
  const u64 hosts = options.hosts != 0 ? options.hosts : behind_first;
  if (hosts < 2 || hosts > behind_first) return;
  const u64 qps_per_pair = input.settings.qps_per_pair;
  if (options.kind == "poisson") {
    const u64 messages = poisson_messages(options, sizes, hosts, world);
    counts.messages += messages;
    counts.qps += std::min(messages, hosts * (hosts - 1) * qps_per_pair);
    return;
  }
  const u64 pairs = options.kind == "all_to_all" ? hosts * (hosts - 1)
                    : options.kind == "incast"   ? std::min<u64>(options.fan_in, hosts - 1)
                                                 : hosts;
  counts.messages += pairs * options.messages;
  counts.qps += pairs * std::min<u64>(options.messages, qps_per_pair);
}

void add_messages(const WorkloadInput& input, WorkloadCounts& counts) {
  std::map<std::tuple<u32, u32, std::string>, u64> pairs;
  for (const MessageOptions& m : input.messages) ++pairs[{m.src, m.dst, m.traffic_class}];
  counts.messages += input.messages.size();
  for (const auto& [pair, messages] : pairs) counts.qps += std::min<u64>(messages, input.settings.qps_per_pair);
}

}  // namespace

WorkloadCounts counts_of(const World& world) {
  WorkloadCounts counts;
  counts.messages = world.traffic.messages.size();
  counts.qps = world.traffic.qps.size();
  counts.connections = world.collectives.connections.size();
  counts.lanes = world.collectives.lanes.size();
  std::vector<std::pair<u32, u32>> joined;
  for (const Connection& c : world.collectives.connections) {
    if (c.nvlink) joined.insert(joined.end(), {{c.src, c.dst}, {c.dst, c.src}});
  }
  std::ranges::sort(joined);
  counts.nvlinks = static_cast<u64>(std::unique(joined.begin(), joined.end()) - joined.begin());
  return counts;
}

WorkloadCounts expected_counts(const WorkloadInput& input, const World& world) {
  WorkloadCounts counts;
  add_messages(input, counts);
  const SizeCdf no_sizes;
  for (size_t i = 0; i < input.generators.size(); ++i) {
    add_generator(input.generators[i], i < input.size_cdfs.size() ? input.size_cdfs[i] : no_sizes, input, world, counts);
  }
  u64 taken = 0;
  for (const JobOptions& job : input.jobs) add_job(job, gpus_of(job, world, taken), counts);
  return counts;
}

}  // namespace heddle
