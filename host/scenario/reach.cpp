#include "host/scenario/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/base/error.hpp"
#include "host/scenario/topology/parts.hpp"

namespace heddle {
namespace {

constexpr std::string_view kOfChannels = "set job.cross_nic = \"no\" (or \"auto\")",
                           kOfAllToAlls = "set job.pxn = true, or job.algorithm = \"hierarchical\"";

/// What keeps the collectives of a connection on their rails; "": nothing does.
std::string_view advice_for(const CollectivePlan& plan, const Connection& connection) {
  const u32 number = static_cast<u32>(&connection - plan.connections.data());
  for (const Collective& c : plan.collectives) {
    if (c.composed) continue;
    const ChannelEndGroup& group = plan.jobs[c.job].groups[c.group];
    if (number < group.first_connection || number - group.first_connection >= group.connections) continue;
    if (c.algorithm == Algorithm::ring || c.algorithm == Algorithm::tree) return kOfChannels;
    return c.kind == CollectiveKind::all_to_all ? kOfAllToAlls : "";
  }
  return "";
}

class Reach {
 public:
  explicit Reach(const World& world) : world_(world), part_(parts_of_switches(world.fabric)) {}

  bool all_joined() const {
    return std::ranges::all_of(part_, [](u32 part) { return part == 0; });
  }

  /// advice_of(): what would bring the data to the right part; "" if nothing would.
  template <class Advice>
  void check(EndpointId src, EndpointId dst, const Advice& advice_of) const {
    for (u32 port = 0; port < world_.fabric.nic_ports; ++port) {
      const NodeId from = switch_of(src, port), to = switch_of(dst, port);
      if (part_of(from) == part_of(to)) continue;
      const auto& names = world_.fabric.names;
      const std::string_view advice = advice_of();
      throw ConfigError(fmt::format(
          "workload: {} sends to {} over the network, but no switches join {} and {}, on which they hang: nothing can "
          "get there. {}ake a fabric with spines above all leaves",
          names[src], names[dst], names[from], names[to],
          advice.empty()
              ? "T"
              : fmt::format("On rails NVLink must bring the data to the right one first: {}; or t", advice)));
    }
  }

  /// Of an all-to-all in closed form: every rank sends to all ranks of other servers.
  void check(const Job& job) const {
    const u32 server = job.all_pairs.gpus_per_server;
    for (u32 rank = 0; rank < job.ranks.size(); ++rank) {
      const u32 other = rank / server == 0 ? server : 0;  // the first of another server, and with it all its ranks
      for (u32 i = other; i < std::min<u64>(other + server, job.ranks.size()); ++i)
        check(job.ranks[rank], job.ranks[i], [] { return kOfAllToAlls; });
    }
  }

 private:
  NodeId switch_of(EndpointId e, u32 port) const {
    return world_.routing.attach_switch[address_of(world_.fabric, e, port)];
  }
  u32 part_of(NodeId node) const { return part_[node - world_.fabric.endpoints]; }

  const World& world_;
  std::vector<u32> part_;
};

}  // namespace

void check_reach_of_traffic(const World& world) {
  const Reach reach(world);
  if (reach.all_joined()) return;
  for (const Connection& c : world.collectives.connections) {
    if (!c.nvlink) reach.check(c.src, c.dst, [&] { return advice_for(world.collectives, c); });
  }
  for (const Qp& qp : world.traffic.qps) reach.check(qp.src, qp.dst, [] { return std::string_view(); });
  for (const Job& job : world.collectives.jobs) {
    if (job.all_pairs) reach.check(job);
  }
}

}  // namespace heddle
