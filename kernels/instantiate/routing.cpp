// Next-hop tables by local switch, and the policies that choose from them.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "kernels/base/hash.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/routing/policies.hpp"
#include "kernels/routing/policy_state.hpp"

namespace heddle {
namespace {

constexpr u64 kNoRow = ~u64{0};

/// Appends the set of all ports of a row: those by which packets may take detours are among them.
void add_all_ports(const NextHopTable& from, u32 row, std::vector<NextHops>& sets, std::vector<u16>& ports) {
  std::set<u16> all;
  for (u32 group = 0; group < from.groups; ++group) {
    const auto of_group = from.ports_of(from.set_in_row(row, group));
    all.insert(of_group.begin(), of_group.end());
  }
  sets.push_back({static_cast<u32>(ports.size()), static_cast<u32>(all.size())});
  ports.insert(ports.end(), all.begin(), all.end());
}

/// Adds the rows that switches of this part use. Where packets take detours, the set of all its ports is behind a row.
void add_next_hops(const Routing& routing, Model& model) {
  View& v = model.view;
  const NextHopTable& from = routing.table;
  std::vector<u64> first_of_row(from.rows(), kNoRow);
  std::vector<u32> sets;
  std::vector<NextHops> hops = from.sets;
  std::vector<u16> ports = from.ports;
  const auto place_of = [&](u32 row) {
    if (first_of_row[row] == kNoRow) {
      first_of_row[row] = sets.size();
      const auto begin = from.set_of.begin() + static_cast<std::ptrdiff_t>(static_cast<u64>(row) * from.groups);
      sets.insert(sets.end(), begin, begin + from.groups);
      if (routing.detour_class != 0) {
        sets.push_back(static_cast<u32>(hops.size()));
        add_all_ports(from, row, hops, ports);
      }
    }
    return first_of_row[row];
  };
  u64* row_of = model.arrays.add<u64>(v, v.route_row, "rows of routes", StateKind::derived, v.switches);
  std::vector<u32> first_later(v.switches + 1, 0);
  std::vector<SwitchRoutes> later;
  for (u32 n = 0; n < v.switches; ++n) {
    row_of[n] = place_of(routing.row_of(v.node_id[n]));
    for (const Routing::RowChange& change : routing.row_changes_of(v.node_id[n]))
      later.push_back({change.from_ps, place_of(change.row)});
    first_later[n + 1] = static_cast<u32>(later.size());
  }
  model.arrays.add_plan(v, v.failing.first_routes, "first later routes", first_later);
  model.arrays.add_plan(v, v.failing.routes, "later routes", later);
  model.arrays.add_plan(v, v.route, "routes", sets);
  model.arrays.add_plan(v, v.sets, "next hop sets", hops);
  model.arrays.add_plan(v, v.set_ports, "next hop ports", ports);
}

/// Where ports lead, in worlds with detours.
void add_leads_to(const World& world, Model& model) {
  if (world.routing.detour_class == 0) return;
  View& v = model.view;
  std::vector<LeadsTo> leads(v.first_link[v.switches]);
  for (u32 n = 0; n < v.switches; ++n) {
    const Node& node = world.fabric.nodes[v.node_id[n]];
    if (node.ports > kMaxDetourPorts) {
      throw std::invalid_argument("routing.adaptive.detours: a switch has " + std::to_string(node.ports) +
                                  " ports, and where packets take detours 2048 are the most");
    }
    for (u32 port = 0; port < node.ports; ++port) {
      const NodeId peer = world.fabric.links[node.first_link + port].dst;
      const bool down = world.fabric.nodes[peer].tier < node.tier;
      leads[v.first_link[n] + port] = peer < world.fabric.endpoints ? LeadsTo::endpoint
                                      : down                        ? LeadsTo::lower_switch
                                                                    : LeadsTo::other;
    }
  }
  model.arrays.add_plan(v, v.leads_to, "where ports lead", leads);
}

SwitchHash switch_hash_of(const RoutingHash& hash, Tier tier, u32 seed) {
  const TierHash& settings = hash.of_tier[static_cast<u32>(tier)];
  SwitchHash own;
  own.fields = hash.fields;
  if (settings.function == HashFunction::ideal) return own;
  own.width = static_cast<u8>(hash_width(settings.function));
  own.table = kNoCrc;
  for (u32 i = 0; i < std::size(kCrcs); ++i) {
    if (kCrcs[i].function != settings.function) continue;
    own.table = static_cast<u8>(i);
    own.init = kCrcs[i].init;
    own.xor_out = kCrcs[i].xor_out;
    own.reflected = kCrcs[i].reflected;
  }
  own.init ^= own.width == 32 ? seed : seed & 0xffff;
  own.offset = static_cast<u8>(settings.offset);
  own.bits = static_cast<u8>(settings.bits);
  own.fold = settings.fold;
  return own;
}

bool is_plain(const RoutingHash& hash) {
  return hash.fields == kHashFiveTuple &&
         std::ranges::all_of(hash.of_tier, [](const TierHash& tier) { return tier.function == HashFunction::ideal; });
}

/// Adds the hash parameters of every switch.
void add_hashes(const World& world, Model& model) {
  const RoutingHash& hash = world.routing.hash;
  View& v = model.view;
  v.settings.plain_hash = is_plain(hash);
  std::vector<u64> seeds(v.switches);
  std::vector<SwitchHash> hashes(v.settings.plain_hash ? 0 : v.switches);
  for (u32 n = 0; n < v.switches; ++n) {
    const Tier tier = world.fabric.nodes[v.node_id[n]].tier;
    seeds[n] = hash64(world.seed, Stream::ecmp, hash.seed_word(v.node_id[n], tier));
    if (!v.settings.plain_hash) hashes[n] = switch_hash_of(hash, tier, static_cast<u32>(seeds[n] >> 32));
  }
  model.arrays.add_plan(v, v.ecmp_state, "ecmp hash state", seeds);
  model.arrays.add_plan(v, v.switch_hash, "hash of switch", hashes);
  std::vector<u32> tables;
  for (const CrcKind& kind : kCrcs) {
    if (v.settings.plain_hash) break;
    const std::array<u32, 256> table = crc_table(kind);
    tables.insert(tables.end(), table.begin(), table.end());
  }
  model.arrays.add_plan(v, v.crc_tables, "CRC tables", tables);
}

/// Marks the switches whose policies choose in the loop over packets.
void add_plain_policies(Model& model) {
  View& v = model.view;
  std::vector<u8> plain(v.switches, kNoPlainPolicy);
  for (u32 n = 0; n < v.switches; ++n) {
    if (v.settings.plain_hash && v.policy_of[n] < 2) plain[n] = v.policy_of[n];
  }
  model.arrays.add_plan(v, v.plain_policy, "plain policy of switch", plain);
}

/// The policy of a switch of this part; sets it up when this is its first switch.
PolicyView& policy_of(const World& world, u32 node, Model& model) {
  View& v = model.view;
  const std::string& name = world.routing.policy_of(world.fabric.nodes[v.node_id[node]]);
  const u32 number = routing_policy_number(name);
  if (number == kNone) throw std::invalid_argument("routing: there is no policy '" + name + "'");
  PolicyView* own = v.policy;
  while (own->number != kNone && own->number != number) {
    if (++own == v.policy + kMaxPolicies) throw std::invalid_argument("routing: more than 4 policies in one run");
  }
  if (own->number == kNone) {
    *own = with_settings(world.routing, number);
    RoutingPolicies::set_up(world, model, *own);
  }
  return *own;
}

/// Adds the policies of this part's switches, with their tables and their state.
void add_policies(const World& world, Model& model) {
  View& v = model.view;
  std::vector<u8> numbers(v.switches);
  std::vector<u64> first(v.switches);
  std::vector<u32> words(v.switches);
  u64 all = 0;
  for (u32 n = 0; n < v.switches; ++n) {
    const PolicyView& own = policy_of(world, n, model);
    const u32 ports = v.first_link[n + 1] - v.first_link[n];
    numbers[n] = static_cast<u8>(own.number);
    first[n] = all;
    words[n] = RoutingPolicies::state_words(own, ports);
    all += u64{words[n]} * ports * v.settings.classes;
    if (routing_policies()[own.number].samples_queues) v.settings.samples_queues = true;
  }
  v.settings.keeps_route_state = all != 0;
  model.arrays.add_plan(v, v.policy_of, "policy of switch", numbers);
  model.arrays.add_plan(v, v.policy_state_first, "first word of policy", first);
  model.arrays.add_plan(v, v.policy_state_words, "words of policy", words);
  model.arrays.add<u64>(v, v.policy_state, "policy state", StateKind::dense, all);
  model.arrays.add<SampledQueue>(v, v.sampled_queue, "sampled queues", StateKind::dense,
                                 v.settings.samples_queues ? v.links : 0);
}

}  // namespace

void instantiate_routing(const World& world, Model& model) {
  const Routing& r = world.routing;
  View& v = model.view;
  Arrays& a = model.arrays;
  a.add_plan(v, v.group_of, "group of address", r.group_of);

  const u32 addresses = count_addresses(world.fabric);
  std::vector<u32> attach_node(addresses, kNone), attach_link(addresses, kNone);
  for (u32 i = 0; i < addresses; ++i) {
    const u32 node = model.local_node[r.attach_switch[i]];
    if (node >= v.switches) continue;  // a switch of another part
    attach_node[i] = node;
    attach_link[i] = v.first_link[node] + r.attach_port[i];
  }
  a.add_plan(v, v.attach_node, "attach node", attach_node);
  a.add_plan(v, v.attach_link, "attach link", attach_link);

  v.settings.detour_class = r.detour_class;
  v.settings.route_groups = r.table.groups;
  add_next_hops(r, model);
  add_leads_to(world, model);
  add_hashes(world, model);
  add_policies(world, model);
  add_plain_policies(model);
}

}  // namespace heddle
