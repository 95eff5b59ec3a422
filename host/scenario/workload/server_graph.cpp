#include "host/scenario/workload/server_graph.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/job_plan.hpp"
#include "kernels/world/servers.hpp"

namespace heddle {
namespace {

using Bytes = unsigned __int128;
constexpr Bytes kMaxBytes = Bytes{1} << 62;  // the limit of a ServerGraph

struct Exchange {
  u32 a = 0, b = 0;  // servers, a < b
  Bytes bytes = 0;
};

/// Merges entries of the same servers, from `first` on.
void merge(std::vector<Exchange>& all, size_t first) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, all.end(),
            [](const Exchange& x, const Exchange& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
  size_t kept = first;
  for (size_t i = first; i < all.size(); ++i) {
    if (kept > first && all[kept - 1].a == all[i].a && all[kept - 1].b == all[i].b) {
      all[kept - 1].bytes += all[i].bytes;
    } else {
      all[kept++] = all[i];
    }
  }
  all.resize(kept);
}

/// A World in which a job has all GPUs, joined by the same NICs and NVLink.
World world_of_job(u32 gpus, const World& world) {
  World own;
  own.fabric.endpoints = gpus;
  own.fabric.nic_ports = world.fabric.nic_ports;
  own.fabric.nodes = {world.fabric.nodes[0]};
  own.fabric.links = {world.fabric.links[world.fabric.nodes[0].first_link]};
  own.fabric.nodes[0].first_link = 0;
  own.collectives.settings = world.collectives.settings;
  return own;
}

class GraphOfJob {
 public:
  GraphOfJob(const JobOptions& options, u32 job, u32 gpus, const World& world)
      : options_(options), job_(job), gpus_(gpus), world_(world_of_job(gpus, world)) {
    std::vector<EndpointId> all(gpus);
    std::iota(all.begin(), all.end(), 0);
    plan_ = plan_job(options, job, all, world_);
    for (const SequencePlan& sequence : plan_.sequences) bytes_.push_back(bytes_by_group(sequence));
  }

  ServerGraph make() {
    for (const Communicator& c : plan_.communicators.all) add(c);
    merge(exchanges_, 0);
    const u32 servers = gpus_ / options_.gpus_per_server;
    Bytes sum = each_pair_ * servers * servers;
    for (const Exchange& t : exchanges_) sum += t.bytes;
    u32 shift = 0;
    while (sum >> shift >= kMaxBytes) ++shift;
    std::vector<WeightedEdge> edges;
    for (const Exchange& t : exchanges_) edges.push_back({t.a, t.b, static_cast<u64>(t.bytes >> shift)});
    return {make_graph(std::vector<u64>(servers, 1), {}, edges), static_cast<u64>(each_pair_ >> shift)};
  }

 private:
  /// [group of the sequence] bytes on its connections: as many equal parts of the connections as there are entries.
  std::vector<std::vector<Bytes>> bytes_by_group(const SequencePlan& sequence) const {
    std::vector<std::vector<Bytes>> bytes(sequence.groups.size());
    for (const Collective& c : sequence.collectives)
      bytes[c.group].resize(c.schedules, 0);  // all collectives of a group have the same number
    for (const Collective& c : sequence.collectives) {
      for (u32 i = 0; i < c.schedules; ++i)
        bytes[c.group][i] += sequence.rounds * bytes_of(world_.collectives.schedules[c.schedule + i]);
    }
    return bytes;
  }

  u32 server(EndpointId gpu) const { return server_of(gpu, options_.gpus_per_server); }

  void add(const Communicator& c) {
    if (std::ranges::all_of(c.ranks, [&](EndpointId gpu) { return server(gpu) == server(c.ranks[0]); })) return;
    const std::vector<PlannedGroup>& groups = plan_.sequences[c.sequence].groups;
    for (size_t i = 0; i < groups.size(); ++i) {
      const bool all_to_all = layouts()[groups[i].layout].kinds[0] == CollectiveKind::all_to_all;
      if (all_to_all && c.ranks.size() == gpus_) {
        const Bytes pairs = Bytes{2} * options_.gpus_per_server * options_.gpus_per_server;
        each_pair_ += pairs * options_.p2p_channels * bytes_[c.sequence][i][0];
      } else {
        add_connections(c, groups[i], bytes_[c.sequence][i]);
      }
    }
  }

  /// Adds the traffic of one group, whose connections are built and discarded again.
  void add_connections(const Communicator& c, const PlannedGroup& group, const std::vector<Bytes>& bytes) {
    const Sequence& sequence = plan_.communicators.sequences[c.sequence];
    CollectivePlan& plan = world_.collectives;
    plan.jobs = {job_of(c, sequence, job_)};
    TrafficBuilder qps({}, world_);
    const JobOptions options = options_of(sequence.options, group);
    layouts()[group.layout].add_channel_ends({options, job_, options_.gpus_per_server, 0, world_, qps});
    const size_t first = exchanges_.size();
    for (size_t i = 0; i < plan.connections.size(); ++i) {
      const u32 a = server(plan.connections[i].src), b = server(plan.connections[i].dst);
      if (a != b)
        exchanges_.push_back({std::min(a, b), std::max(a, b), bytes[i * bytes.size() / plan.connections.size()]});
    }
    merge(exchanges_, first);
    plan.connections.clear();
    plan.channel_ends.clear();
  }

  const JobOptions& options_;
  u32 job_, gpus_;
  World world_;
  PlannedJob plan_;
  std::vector<std::vector<std::vector<Bytes>>> bytes_;  // [sequence][group]
  std::vector<Exchange> exchanges_;
  Bytes each_pair_ = 0;
};

}  // namespace

ServerGraph server_graph(const JobOptions& options, u32 job, u32 gpus, const World& world) {
  return GraphOfJob(options, job, gpus, world).make();
}

}  // namespace heddle
