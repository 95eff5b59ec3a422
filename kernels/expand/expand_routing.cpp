// Next-hop tables by local switch, and the policies that choose from them.
#include <stdexcept>
#include <string>

#include "kernels/base/hash.hpp"
#include "kernels/expand/expand.hpp"
#include "kernels/routing/policies.hpp"

namespace heddle {
namespace {

constexpr u64 kNoRow = ~u64{0};

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

/// The policies of this part's switches, each with its tables.
void add_policies(const World& world, Model& model) {
  View& v = model.view;
  std::vector<u8> policy_of(v.switches);
  for (u32 n = 0; n < v.switches; ++n) {
    const std::string& name = world.routing.policy_of(world.fabric.nodes[v.node_id[n]]);
    const u32 number = routing_policy_number(name);
    if (number == kNone) throw std::invalid_argument("routing: there is no policy '" + name + "'");
    policy_of[n] = static_cast<u8>(number);
    PolicyView* own = v.policy;
    while (own->number != kNone && own->number != number) ++own;
    if (own->number == number) continue;
    own->number = number;
    RoutingPolicies::set_up(world, model, *own);
  }
  model.arrays.add_plan(v, v.policy_of, "policy of switch", policy_of);
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
  add_policies(world, model);
}

}  // namespace heddle
