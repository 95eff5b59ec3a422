#include "partition/cut/expected_packets.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "partition/cut/demands.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxPackets = u64{1} << 44;  // times 256 parts and 2^11 links: still a u64

std::string name_of(const Fabric& fabric, NodeId n) {
  return n < fabric.names.size() ? fabric.names[n] : "node " + std::to_string(n);
}

/// The packets from the endpoints of one group to those of another.
struct Between {
  u32 from = 0;
  u64 packets = 0;
};

/// The packets to one group. Mostly few groups send, which are searched; for many, there is an element for each.
class Inflow {
 public:
  void add(u32 from, u64 packets, u32 groups) {
    if (packets == 0) return;
    if (!all_.empty()) {
      all_[from] += packets;
      return;
    }
    const auto known = std::ranges::find(few_, from, &Between::from);
    if (known != few_.end()) {
      known->packets += packets;
    } else {
      few_.push_back({from, packets});
    }
    constexpr size_t kMaxSearched = 64;
    if (few_.size() <= kMaxSearched) return;
    all_.resize(groups);
    for (const Between& b : few_) all_[b.from] = b.packets;
    few_ = {};
  }

  /// The packets ordered by group.
  std::vector<Between> sorted() const {
    std::vector<Between> out = few_;
    std::ranges::sort(out, {}, &Between::from);
    for (u32 from = 0; from < all_.size(); ++from) {
      if (all_[from] != 0) out.push_back({from, all_[from]});
    }
    return out;
  }

 private:
  std::vector<Between> few_;
  std::vector<u64> all_;  // [group]
};

/// Divides the packets to one group of endpoints over the equal next hops of every switch.
class Spreader {
 public:
  Spreader(const World& world, std::vector<u64>& link_parts)
      : world_(world), link_parts_(link_parts), inflow_(world.fabric.nodes.size()), before_(inflow_.size()) {}

  /// Spreads all packets to `group`, whose switch is `goal`.
  void spread(u32 group, NodeId goal, std::span<const Between> all, const std::vector<NodeId>& switch_of_group) {
    reached_.clear();
    for (const Between& b : all) {
      reach(switch_of_group[b.from]);
      inflow_[switch_of_group[b.from]] += b.packets * kPacketParts;
    }
    count_ways(group, goal);
    ready_.clear();
    for (const NodeId n : reached_) {
      if (before_[n] == 1) ready_.push_back(n);
    }
    size_t done = 0;
    for (; done < ready_.size(); ++done) pass_on(ready_[done], group, goal);
    if (done != reached_.size()) {
      throw std::invalid_argument(
          "partition: the routes to the endpoints of " + name_of(world_.fabric, goal) +
          " run in a circle, so the packets on its links cannot be foreseen; mend the topology");
    }
    for (const NodeId n : reached_) inflow_[n] = before_[n] = 0;
  }

 private:
  std::span<const u16> next_hops(NodeId at, u32 group, NodeId goal) const {
    const bool is_switch = at >= world_.fabric.endpoints;
    const std::span<const u16> ports = is_switch ? world_.routing.next_hops(at, group) : std::span<const u16>();
    if (ports.empty()) {
      throw std::invalid_argument("partition: " + name_of(world_.fabric, at) + " has no way to the endpoints of " +
                                  name_of(world_.fabric, goal) + ": the topology is disconnected there");
    }
    return ports;
  }

  void reach(NodeId n) {
    if (before_[n] != 0) return;
    before_[n] = 1;
    reached_.push_back(n);
  }

  /// Sets before_[n] = 1 + links by which packets for the group arrive at n.
  void count_ways(u32 group, NodeId goal) {
    for (size_t i = 0; i < reached_.size(); ++i) {
      const NodeId at = reached_[i];
      if (at == goal) continue;
      for (const u16 port : next_hops(at, group, goal)) {
        const NodeId to = world_.fabric.links[world_.fabric.nodes[at].first_link + port].dst;
        reach(to);
        ++before_[to];
      }
    }
  }

  /// Forwards all packets of `at`, whose inflow is complete; the first ports get the remainder of the division.
  void pass_on(NodeId at, u32 group, NodeId goal) {
    if (at == goal) return;
    const std::span<const u16> ports = next_hops(at, group, goal);
    const u64 whole = inflow_[at] / ports.size(), rest = inflow_[at] % ports.size();
    for (u32 h = 0; h < ports.size(); ++h) {
      const LinkId l = world_.fabric.nodes[at].first_link + ports[h];
      const NodeId to = world_.fabric.links[l].dst;
      const u64 parts = whole + (h < rest);
      link_parts_[l] += parts;
      inflow_[to] += parts;
      if (--before_[to] == 1) ready_.push_back(to);
    }
  }

  const World& world_;
  std::vector<u64>& link_parts_;
  std::vector<u64> inflow_;  // [node] parts that arrive
  std::vector<u32> before_;  // [node] 0: not reached
  std::vector<NodeId> reached_, ready_;
};

/// Adds a demand to the links of its explicit path.
void follow(const World& world, const Demand& demand, std::vector<u64>& link_parts) {
  const Routing& r = world.routing;
  const Fabric& f = world.fabric;
  NodeId at = r.attach_switch[demand.src];
  const u32 first = demand.path == kNone ? 0 : r.path_first[demand.path];
  const u32 end = demand.path == kNone ? 0 : r.path_first[demand.path + 1];
  for (u32 hop = 0; at != r.attach_switch[demand.dst]; ++hop) {
    u32 i = first;
    while (i < end && r.hops[i].node != at) ++i;
    if (i == end || hop == end - first) {
      throw std::invalid_argument("partition: the explicit path from " + name_of(f, demand.src) + " to " +
                                  name_of(f, demand.dst) + " does not arrive (" + name_of(f, at) +
                                  "); mend routing.paths_file");
    }
    const LinkId l = f.nodes[at].first_link + r.hops[i].port;
    link_parts[l] += demand.packets * kPacketParts;
    at = f.links[l].dst;
  }
}

/// Collects packets on host links, and either on paths or as sums between groups.
class Collector {
 public:
  explicit Collector(const World& world, std::vector<u64>& link_parts)
      : world_(world), link_parts_(link_parts), to_(world.routing.table.groups) {}

  bool explicit_paths() const { return world_.routing.paths_are_given(); }

  void take(const Demand& d) {
    const Routing& r = world_.routing;
    const Fabric& f = world_.fabric;
    if (d.packets > kMaxPackets || (total_ += d.packets) > kMaxPackets) {
      throw std::invalid_argument(
          "partition: the workload has more than 2^44 packets, for which no run is long enough and work cannot be "
          "counted; set simulation.horizon, or fewer bytes");
    }
    for (u32 p = 0; p < f.nic_ports; ++p) {  // each port carries its share; the first ones carry the remainder
      const u64 packets = d.packets / f.nic_ports + (p < d.packets % f.nic_ports);
      const u32 src = address_of(f, d.src, p), dst = address_of(f, d.dst, p);
      if (packets == 0) continue;
      link_parts_[f.nodes[d.src].first_link + p] += packets * kPacketParts;
      link_parts_[f.nodes[r.attach_switch[dst]].first_link + r.attach_port[dst]] += packets * kPacketParts;
      if (!explicit_paths()) to_[r.group_of[dst]].add(r.group_of[src], packets, r.table.groups);
    }
    if (explicit_paths()) follow(world_, d, link_parts_);
  }

  void spread_between_groups() {
    const Routing& r = world_.routing;
    if (explicit_paths()) return;
    const std::vector<NodeId> switch_of_group = r.switches_of_groups();
    Spreader spreader(world_, link_parts_);
    for (u32 g = 0; g < r.table.groups; ++g) {
      const std::vector<Between> from = to_[g].sorted();
      if (!from.empty()) spreader.spread(g, switch_of_group[g], from, switch_of_group);
    }
  }

 private:
  const World& world_;
  std::vector<u64>& link_parts_;
  std::vector<Inflow> to_;  // [group]
  u64 total_ = 0;
};

}  // namespace

ExpectedPackets expect_packets(const World& world) {
  ExpectedPackets out;
  out.parts.resize(world.fabric.links.size());
  Collector collector(world, out.parts);
  for_each_demand(world, [&](const Demand& d) { collector.take(d); });
  collector.spread_between_groups();
  const u64 total = std::accumulate(out.parts.begin(), out.parts.end(), u64{0});
  if (total < out.parts.size() * kPacketParts) {
    out.uniform = true;
    out.parts.assign(out.parts.size(), kPacketParts);
  }
  return out;
}

}  // namespace heddle
