#include "host/scenario/controller/demands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "host/base/error.hpp"
#include "kernels/world/servers.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxDemands = 2'000'000;

/// Whether flows without payload count: they are a packet all the same.
enum class Empty : u8 { left_out, counts };

/// Sums demands by (source, group).
class Sums {
 public:
  Sums(const World& world, Empty empty) : world_(world), empty_(empty) {}

  void add(EndpointId src, u32 group, u64 bytes) {
    if (world_.routing.group_of[src] == group) return;
    if (bytes == 0 && empty_ == Empty::left_out) return;
    bytes_[{src, group}] += bytes;
    if (bytes_.size() <= kMaxDemands) return;
    throw ConfigError(fmt::format(
        "routing.policy = \"traffic_engineering\": the workload has more than {} pairs of a NIC and a rack that it "
        "sends to, for which no switch has entries and no plan is made in reasonable time; let fewer GPUs take part, "
        "or use \"e_ecmp\"",
        kMaxDemands));
  }

  std::vector<RackDemand> demands() const {
    std::vector<RackDemand> all;
    for (const auto& [key, bytes] : bytes_) all.push_back({key.first, key.second, bytes});
    return all;
  }
  std::vector<std::pair<EndpointId, u32>> pairs() const {
    std::vector<std::pair<EndpointId, u32>> all;
    for (const auto& [key, bytes] : bytes_) all.push_back(key);
    return all;
  }

 private:
  const World& world_;
  Empty empty_;
  std::map<std::pair<EndpointId, u32>, u64> bytes_;
};

struct Carried {
  u64 slices = 0, bytes = 0;  // a slice may be empty
};

Carried carried_by(const CollectivePlan& plan, const Job& job, u32 group, u32 connection) {
  Carried sum;
  for_each_schedule(plan, job, group, connection, [&](const Collective&, const SliceSchedule& schedule) {
    sum.slices += schedule.total;
    sum.bytes += bytes_of(schedule);
  });
  return sum;
}

/// Adds the demands of every rank to all ranks outside its server.
void add_all_pairs(const World& world, const Job& job, u64 bytes, Sums& sums) {
  const std::vector<u32>& group_of = world.routing.group_of;
  std::map<u32, u64> ranks_of_group;
  for (const EndpointId e : job.ranks) ++ranks_of_group[group_of[e]];
  const size_t server = job.all_pairs.gpus_per_server;
  for (u32 rank = 0; rank < job.ranks.size(); ++rank) {
    std::map<u32, u64> beside;  // ranks of the same server, which use NVLink
    const size_t first = first_rank_of_server(job.all_pairs, rank);
    for (size_t i = first; i < std::min(first + server, job.ranks.size()); ++i) ++beside[group_of[job.ranks[i]]];
    for (const auto& [group, ranks] : ranks_of_group) {
      const auto near = beside.find(group);
      const u64 far = ranks - (near == beside.end() ? 0 : near->second);
      if (far != 0) sums.add(job.ranks[rank], group, far * job.all_pairs.channels * bytes);
    }
  }
}

Sums sums_of_workload(const World& world, Empty empty) {
  const std::vector<u32>& group_of = world.routing.group_of;
  Sums sums(world, empty);
  for (const Message& m : world.traffic.messages) {
    const Qp& qp = world.traffic.qps[m.qp];
    sums.add(qp.src, group_of[qp.dst], m.bytes);
  }
  for (const Job& job : world.collectives.jobs) {
    if (job.all_pairs) {
      add_all_pairs(world, job, carried_by(world.collectives, job, 0, job.groups[0].first_connection).bytes, sums);
      continue;
    }
    for (u32 g = 0; g < job.groups.size(); ++g) {
      for_each_alike(world.collectives, job, g, [&](u32 first, u32 count) {
        const Carried carried = carried_by(world.collectives, job, g, first);
        for (u32 c = first; c < first + count; ++c) {
          const Connection& connection = world.collectives.connections[c];
          if (!connection.nvlink && carried.slices != 0)
            sums.add(connection.src, group_of[connection.dst], carried.bytes);
        }
      });
    }
  }
  return sums;
}

}  // namespace

std::vector<RackDemand> demands_of_workload(const World& world) {
  return sums_of_workload(world, Empty::left_out).demands();
}

std::vector<std::pair<EndpointId, u32>> pairs_of_workload(const World& world) {
  return sums_of_workload(world, Empty::counts).pairs();
}

std::vector<RackDemand> demands_of_file(std::span<const PlainDemand> demands, const std::string& path,
                                        const World& world) {
  const Routing& r = world.routing;
  std::map<std::string_view, u32> group_of_name;
  std::vector<std::vector<EndpointId>> members(r.table.groups);
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    group_of_name.emplace(world.fabric.names[r.attach_switch[e]], r.group_of[e]);
    members[r.group_of[e]].push_back(e);
  }
  const auto group_named = [&](const std::string& name, u32 line) {
    const auto found = group_of_name.find(name);
    if (found != group_of_name.end()) return found->second;
    throw ConfigError(fmt::format("{}:{}: '{}' is no switch with GPUs; racks are named after theirs, {} for example",
                                  path, line, name, group_of_name.begin()->first));
  };
  Sums sums(world, Empty::left_out);
  std::map<std::pair<u32, u32>, u32> line_of;
  for (const PlainDemand& d : demands) {
    const u32 from = group_named(d.from, d.line), to = group_named(d.to, d.line);
    if (from == to) {
      throw ConfigError(fmt::format("{}:{}: from {} to itself nothing goes over other switches; remove the line", path,
                                    d.line, d.from));
    }
    const auto [first, is_new] = line_of.try_emplace({from, to}, d.line);
    if (!is_new) {
      throw ConfigError(fmt::format("{}:{}: {} to {} is given a second time, first in line {}; keep one", path, d.line,
                                    d.from, d.to, first->second));
    }
    const u64 nics = members[from].size();
    for (u64 i = 0; i < nics; ++i) sums.add(members[from][i], to, d.bytes / nics + (i < d.bytes % nics));
  }
  return sums.demands();
}

}  // namespace heddle
