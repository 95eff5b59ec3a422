#include "partition/cut/apart.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/routing/policy_info.hpp"
#include "partition/cut/contraction.hpp"
#include "partition/cut/exchange_period.hpp"
#include "partition/cut/sets.hpp"

namespace heddle {
namespace {

/// Routes are those of the tables, or of given paths, from the first to the last instant.
bool routes_stay(const World& world) {
  return !world.routing.rows_change() && !any_policy(world, &PolicyInfo::by_controller);
}

class Joining {
 public:
  explicit Joining(const World& world)
      : world_(world), sets_(world.fabric.nodes.size()), busy_(world.fabric.endpoints, false) {}

  Components components() {
    join_racks();
    join_partners();
    const std::map<u32, std::vector<EndpointId>> sets = sets_with_traffic();
    if (world_.routing.paths_are_given()) {
      join_given_paths();
    } else if (sets.size() > 1) {  // else there is nothing to be told apart
      for (const auto& [set, members] : sets) join_ways_between(members);
    }
    return numbered();
  }

 private:
  void join_racks() {
    const Contraction racks = contract_racks(world_);
    std::vector<u32> first(racks.vertices, kNone);
    for (NodeId n = 0; n < racks.vertex_of_node.size(); ++n) {
      u32& least = first[racks.vertex_of_node[n]];
      if (least == kNone) least = n;
      sets_.join(least, n);
    }
  }

  void join_endpoints(EndpointId a, EndpointId b) {
    busy_[a] = busy_[b] = true;
    sets_.join(a, b);
  }

  void join_partners() {
    for (const Qp& qp : world_.traffic.qps) join_endpoints(qp.src, qp.dst);
    for (const Connection& c : world_.collectives.connections) join_endpoints(c.src, c.dst);
    for (const Job& job : world_.collectives.jobs) {
      for (const EndpointId e : job.ranks) join_endpoints(job.ranks[0], e);
    }
  }

  /// By the least node of each.
  std::map<u32, std::vector<EndpointId>> sets_with_traffic() {
    std::map<u32, std::vector<EndpointId>> members;
    for (EndpointId e = 0; e < busy_.size(); ++e) {
      if (busy_[e]) members[sets_.find(e)].push_back(e);
    }
    return members;
  }

  void join_given_paths() {
    const Routing& r = world_.routing;
    for (const Qp& qp : world_.traffic.qps) {
      for (const u32 path : {qp.data_path, qp.control_path}) {
        if (path == kNone) continue;
        for (u32 i = r.path_first[path]; i < r.path_first[path + 1]; ++i) sets_.join(qp.src, r.hops[i].node);
      }
    }
  }

  /// Every switch on any way from one of them to another.
  void join_ways_between(const std::vector<EndpointId>& members) {
    std::map<u32, NodeId> goals;  // by group
    for (const EndpointId e : members) goals[world_.routing.group_of[e]] = world_.routing.attach_switch[e];
    std::vector<u32> seen(world_.fabric.nodes.size(), kNone);  // [node] the latest goal of which it is on a way
    std::vector<NodeId> reached;
    for (const auto& goal_of_group : goals) {
      const u32 group = goal_of_group.first;
      const NodeId goal = goal_of_group.second;
      reached.clear();
      const auto reach = [&](NodeId n) {
        if (seen[n] == group) return;
        seen[n] = group;
        reached.push_back(n);
        sets_.join(members[0], n);
      };
      for (const auto& [other, at] : goals) reach(at);
      for (std::size_t i = 0; i < reached.size(); ++i) {
        if (reached[i] == goal) continue;
        for (const u16 port : world_.routing.next_hops(reached[i], group)) {
          const Link& link = world_.fabric.links[world_.fabric.nodes[reached[i]].first_link + port];
          reach(link.dst);
        }
      }
    }
  }

  Components numbered() {
    Components out;
    std::map<u32, u32> number;
    for (const auto& [set, members] : sets_with_traffic()) {
      number[set] = out.count++;
      out.endpoints.push_back(static_cast<u32>(members.size()));
    }
    for (NodeId n = 0; n < world_.fabric.nodes.size(); ++n) {
      const auto known = number.find(sets_.find(n));
      out.of_node.push_back(known == number.end() ? kNone : known->second);
    }
    return out;
  }

  const World& world_;
  Sets sets_;
  std::vector<bool> busy_;  // [endpoint] it sends or receives
};

/// The part of every component: the largest ones first, each to the part that has least.
std::vector<u32> dealt_out(const Components& components, u32 parts) {
  std::vector<u32> order(components.count), part(components.count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater<>(), [&](u32 c) { return components.endpoints[c]; });
  std::vector<u64> load(parts, 0);
  for (const u32 c : order) {
    part[c] = static_cast<u32>(std::ranges::min_element(load) - load.begin());
    load[part[c]] += components.endpoints[c];
  }
  return part;
}

}  // namespace

Components components_of(const World& world) {
  if (routes_stay(world)) return Joining(world).components();
  return {1, std::vector<u32>(world.fabric.nodes.size(), 0), {world.fabric.endpoints}};
}

std::vector<Part> parts_apart(const World& world, u32 most) {
  const Components components = components_of(world);
  const u32 count = std::min(components.count, most);
  if (count < 2) return {};
  const std::vector<u32> part_of = dealt_out(components, count);
  std::vector<u32> rank_of_node;
  for (const u32 c : components.of_node) rank_of_node.push_back(c == kNone ? 0 : part_of[c]);
  for (const Link& link : world.fabric.links) {
    if (rank_of_node[link.src] != rank_of_node[link.dst] && least_latency_ps(world.fabric, link) < 2) return {};
  }
  Part part;
  part.rank_of_node = std::move(rank_of_node);
  part.period_ps = exchange_period(world, part.rank_of_node).period_ps;
  part.apart = true;
  std::vector<Part> parts(count, part);
  for (u32 rank = 0; rank < count; ++rank) parts[rank].rank = rank;
  return parts;
}

bool is_apart(const Components& components, const std::vector<u32>& rank_of_node) {
  if (components.count < 2) return false;  // then switches between racks are in none, though it uses them
  std::vector<u32> rank(components.count, kNone);
  for (std::size_t n = 0; n < rank_of_node.size(); ++n) {
    if (components.of_node[n] == kNone) continue;
    u32& known = rank[components.of_node[n]];
    if (known == kNone) known = rank_of_node[n];
    if (known != rank_of_node[n]) return false;
  }
  return true;
}

}  // namespace heddle
