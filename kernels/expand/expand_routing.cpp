// Next-hop tables by local switch, explicit paths by queue pair.
#include <stdexcept>
#include <string>

#include "kernels/base/hash.hpp"
#include "kernels/expand/expand.hpp"

namespace heddle {
namespace {

constexpr u64 kNoRow = ~u64{0};

/// One table from (endpoint, its receiver or sender number) to a path.
void add_paths(const World& world, Model& model, bool data) {
  View& v = model.view;
  const u32 endpoints = world.fabric.endpoints;
  std::vector<u32> first(endpoints + 1, 0);
  for (const Qp& qp : world.traffic.qps) {
    const u32 e = data ? qp.dst : qp.src;
    const u32 number = data ? qp.receiver_number : qp.sender_number;
    first[e + 1] = std::max(first[e + 1], number + 1);
  }
  for (u32 e = 0; e < endpoints; ++e) first[e + 1] += first[e];
  std::vector<u32> path(first[endpoints], 0);
  for (const Qp& qp : world.traffic.qps) {
    const u32 p = data ? qp.data_path : qp.control_path;
    if (p == kNone) {
      throw std::invalid_argument("routing: explicit paths are asked for, but the queue pair from endpoint " +
                                  std::to_string(qp.src) + " to " + std::to_string(qp.dst) + " has none");
    }
    path[first[data ? qp.dst : qp.src] + (data ? qp.receiver_number : qp.sender_number)] = p;
  }
  model.arrays.add_plan(v, data ? v.data_path_first : v.control_path_first,
                        data ? "data path first" : "control path first", first);
  model.arrays.add_plan(v, data ? v.data_path : v.control_path, data ? "data paths" : "control paths", path);
}

/// The rows that switches of this part use.
void add_next_hops(const Routing& routing, Model& model) {
  View& v = model.view;
  const NextHopTable& from = routing.table;
  std::vector<u64> first_of_row(from.rows(), kNoRow), row_of(v.switches);
  std::vector<u32> sets;
  for (u32 n = 0; n < v.switches; ++n) {
    const u32 row = routing.row_of(v.node_id[n]);
    if (first_of_row[row] == kNoRow) {
      first_of_row[row] = sets.size();
      const auto begin = from.set_of.begin() + static_cast<std::ptrdiff_t>(static_cast<u64>(row) * from.groups);
      sets.insert(sets.end(), begin, begin + from.groups);
    }
    row_of[n] = first_of_row[row];
  }
  model.arrays.add_plan(v, v.route_row, "rows of routes", row_of);
  model.arrays.add_plan(v, v.route, "routes", sets);
  model.arrays.add_plan(v, v.sets, "next hop sets", from.sets);
  model.arrays.add_plan(v, v.set_ports, "next hop ports", from.ports);
}

}  // namespace

void expand_routing(const World& world, Model& model) {
  const Routing& r = world.routing;
  View& v = model.view;
  Arrays& a = model.arrays;
  a.add_plan(v, v.group_of, "group of endpoint", r.group_of);

  const u32 endpoints = world.fabric.endpoints;
  std::vector<u32> attach_node(endpoints, kNone), attach_link(endpoints, kNone);
  for (u32 e = 0; e < endpoints; ++e) {
    const u32 node = model.local_node[r.attach_switch[e]];
    if (node >= v.switches) continue;  // of another part
    attach_node[e] = node;
    attach_link[e] = v.first_link[node] + r.attach_port[e];
  }
  a.add_plan(v, v.attach_node, "attach node", attach_node);
  a.add_plan(v, v.attach_link, "attach link", attach_link);

  add_next_hops(r, model);
  std::vector<u64> ecmp(v.switches);
  for (u32 n = 0; n < v.switches; ++n) ecmp[n] = hash64(world.seed, Stream::ecmp, r.common_seed ? 0 : v.node_id[n]);
  a.add_plan(v, v.ecmp_state, "ecmp hash state", ecmp);

  if (r.policy != RoutingPolicy::explicit_paths) return;
  std::vector<Routing::Hop> hops = r.hops;
  for (Routing::Hop& hop : hops) hop.node = model.local_node[hop.node];
  a.add_plan(v, v.path_first, "path first", r.path_first);
  a.add_plan(v, v.hops, "path hops", hops);
  add_paths(world, model, true);
  add_paths(world, model, false);
}

}  // namespace heddle
