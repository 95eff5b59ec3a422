// Nodes, links, queues, PFC accounts.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "kernels/base/hash.hpp"
#include "kernels/base/units.hpp"
#include "kernels/instantiate/instantiate.hpp"

namespace heddle {
namespace {

/// Local order of nodes: this part's switches, then its endpoints. With a permuted numbering (a test) each is permuted.
std::vector<NodeId> local_order(const Fabric& fabric, const EngineOptions& options) {
  const auto ours = [&](NodeId n) {
    return options.part.rank_of_node.empty() || options.part.rank_of_node[n] == options.part.rank;
  };
  std::vector<NodeId> order;
  const u32 nodes = static_cast<u32>(fabric.nodes.size());
  for (NodeId n = fabric.endpoints; n < nodes; ++n) {
    if (ours(n)) order.push_back(n);
  }
  const auto switches = static_cast<std::ptrdiff_t>(order.size());
  for (NodeId n = 0; n < fabric.endpoints; ++n) {
    if (ours(n)) order.push_back(n);
  }
  if (options.numbering_seed == 0) return order;
  const auto shuffled = [&](NodeId a, NodeId b) {
    const u64 ha = hash64(options.numbering_seed, Stream::state, a),
              hb = hash64(options.numbering_seed, Stream::state, b);
    return ha < hb || (ha == hb && a < b);
  };
  std::sort(order.begin(), order.begin() + switches, shuffled);
  std::sort(order.begin() + switches, order.end(), shuffled);
  return order;
}

u32 power_of_two_at_least(u64 n) {
  u32 p = 1;
  while (p < n) p *= 2;
  return p;
}

/// Numbers this part's nodes and links in their local order. Returns the World's number of each link.
std::vector<u32> number_nodes_and_links(const Fabric& f, const std::vector<NodeId>& order, Model& model) {
  View& v = model.view;
  model.local_node.assign(f.nodes.size(), kNone);
  model.local_endpoint.assign(f.endpoints, kNone);
  model.local_link.assign(f.links.size(), kNone);
  std::vector<u32> first_link(order.size() + 1), global_link;
  for (u32 n = 0; n < order.size(); ++n) {
    const Node& node = f.nodes[order[n]];
    model.local_node[order[n]] = n;
    if (n >= v.switches) model.local_endpoint[order[n]] = n - v.switches;
    first_link[n] = static_cast<u32>(global_link.size());
    if (n < v.switches) model.max_switch_ports = std::max(model.max_switch_ports, node.ports);
    for (u32 p = 0; p < node.ports; ++p) {
      model.local_link[node.first_link + p] = static_cast<u32>(global_link.size());
      global_link.push_back(node.first_link + p);
    }
  }
  v.links = first_link[order.size()] = static_cast<u32>(global_link.size());
  model.arrays.add_plan(v, v.first_link, "first link", first_link);
  return global_link;
}

/// An effect of one part on another must not take place before the next exchange has announced it.
void check_period(const Fabric& f, LinkId l, TimePs period_ps) {
  const TimePs latency_ps = min_latency_ps(f, f.links[l]);
  if (period_ps > 0 && 2 * period_ps <= latency_ps) return;
  throw std::invalid_argument("ranks: the period between exchanges is " + std::to_string(period_ps) +
                              " ps, but must be at most half of the least latency of every link between ranks; that of "
                              "link " +
                              std::to_string(l) + " is " + std::to_string(latency_ps) + " ps");
}

/// Numbers incoming links from other parts, and their nodes.
void number_ghosts(const Fabric& f, const Part& part, std::vector<NodeId>& order, std::vector<u32>& global_link,
                   Model& model) {
  std::map<u32, Neighbour> neighbours;
  for (u32 l = 0; l < f.links.size(); ++l) {  // ascending, so that both sides list the same links in the same order
    const Link& link = f.links[l];
    const bool from_us = model.local_link[l] < model.view.links, to_us = model.local_node[link.dst] < model.view.nodes;
    if (from_us == to_us) continue;
    check_period(f, l, part.period_ps);
    if (from_us) {
      neighbours[part.rank_of_node[link.dst]].out.push_back(model.local_link[l]);
      continue;
    }
    if (model.local_node[link.src] == kNone) {
      model.local_node[link.src] = static_cast<u32>(order.size());
      order.push_back(link.src);
    }
    model.local_link[l] = static_cast<u32>(global_link.size());
    global_link.push_back(l);
    neighbours[part.rank_of_node[link.src]].in.push_back(model.local_link[l]);
  }
  model.ghost_nodes = static_cast<u32>(order.size()) - model.view.nodes;
  model.ghost_links = static_cast<u32>(global_link.size()) - model.view.links;
  for (auto& [rank, neighbour] : neighbours) {
    neighbour.rank = rank;
    model.neighbours.push_back(std::move(neighbour));
  }
}

/// Identities that hashes, events and messages use.
void add_names(const Fabric& f, const std::vector<NodeId>& order, const std::vector<u32>& global_link, Model& model) {
  View& v = model.view;
  std::vector<u32> link_node;
  link_node.reserve(global_link.size());
  for (u32 l : global_link) link_node.push_back(model.local_node[f.links[l].src]);
  model.arrays.add_plan(v, v.node_id, "node ids", order);
  model.arrays.add_plan(v, v.link_node, "link source", link_node);
}

/// Adds pools in the local order of their nodes; returns the local number of each.
std::vector<u32> add_pools(const Fabric& f, Model& model) {
  View& v = model.view;
  Arrays& a = model.arrays;
  std::vector<u32> pool_order, local_pool(f.pools.size(), kNone), first_pool(v.nodes + 1, 0);
  for (u32 p = 0; p < f.pools.size(); ++p) {
    if (model.local_node[f.pools[p].node] < v.nodes) pool_order.push_back(p);
  }
  std::stable_sort(pool_order.begin(), pool_order.end(),
                   [&](u32 x, u32 y) { return model.local_node[f.pools[x].node] < model.local_node[f.pools[y].node]; });
  std::vector<Pool> pools;
  for (u32 p : pool_order) {
    local_pool[p] = static_cast<u32>(pools.size());
    pools.push_back(f.pools[p]);
    ++first_pool[model.local_node[f.pools[p].node] + 1];
  }
  for (u32 n = 0; n < v.nodes; ++n) first_pool[n + 1] += first_pool[n];
  a.add_plan(v, v.pool_limits, "pools", pools);
  a.add_plan(v, v.first_pool, "first pool", first_pool);
  PoolState* pool_state = a.add<PoolState>(v, v.pool_state, "pool state", StateKind::dense, pools.size());
  for (u64 p = 0; p < pools.size(); ++p) pool_state[p].epoch = -1;
  return local_pool;
}

/// Bit words: by switch, of the ports that are active or have updates; and of the endpoints that have updates.
void add_port_words(Model& model) {
  View& v = model.view;
  Arrays& a = model.arrays;
  std::vector<u32> first_word(v.switches + 1, 0);
  for (u32 n = 0; n < v.switches; ++n)
    first_word[n + 1] = first_word[n] + (v.first_link[n + 1] - v.first_link[n] + 63) / 64;
  std::vector<u32> word_link(first_word[v.switches]);
  for (u32 n = 0; n < v.switches; ++n) {
    for (u32 w = first_word[n]; w < first_word[n + 1]; ++w) word_link[w] = v.first_link[n] + (w - first_word[n]) * 64;
  }
  a.add_plan(v, v.first_port_word, "first port word", first_word);
  a.add_plan(v, v.port_word_link, "first link of a port word", word_link);
  a.add<TimePs>(v, v.port_next_ps, "next instant of ports", StateKind::derived, v.first_link[v.switches]);
  a.add<u64>(v, v.port_active, "active ports", StateKind::derived, first_word[v.switches]);
  a.add<u64>(v, v.port_published, "ports that have published", StateKind::derived, first_word[v.switches]);
  for (u32 p = 0; p < 2; ++p) {
    a.add<u64>(v, v.port_updates[p], "ports with updates", StateKind::derived, first_word[v.switches]);
    a.add<u32>(v, v.endpoint_updates[p], "endpoints with updates", StateKind::derived,
               (v.endpoints + kEndpointsPerWord - 1) / kEndpointsPerWord);
  }
}

/// The lowest speed that a link ever has, as picoseconds per byte.
u32 slowest_of(const World& world, LinkId link) {
  u32 ps_per_byte_q16 = world.fabric.links[link].ps_per_byte_q16;
  for (const LinkChange& change : world.failures.of(link))
    ps_per_byte_q16 = std::max(ps_per_byte_q16, change.state.ps_per_byte_q16);
  return ps_per_byte_q16;
}

/// Egress and ingress of every port, and the storage of pause changes.
void add_ports(const World& world, const std::vector<u32>& global_link, const std::vector<u32>& local_pool,
               TimePs period_ps, Model& model) {
  const Fabric& f = world.fabric;
  View& v = model.view;
  Arrays& a = model.arrays;
  const Settings& s = v.settings;
  Egress* egress = a.add<Egress>(v, v.egress, "egress", StateKind::dense, model.all_links());
  IngressPort* ingress = a.add<IngressPort>(v, v.ingress, "ingress", StateKind::plan, model.all_links());
  Drr* drr = a.add<Drr>(v, v.drr, "deficit round robin", StateKind::dense, model.all_links());
  const u32 first_weighted = s.weighted_mask == 0 ? 0 : static_cast<u32>(__builtin_ctz(s.weighted_mask));
  const u32 largest = largest_wire_bytes(world);
  u64 changes = 0;
  for (u32 l = 0; l < model.all_links(); ++l) {
    const Link& link = f.links[global_link[l]];
    egress[l].lambda_ps = link.lambda_ps;
    egress[l].ps_per_byte_q16 = link.ps_per_byte_q16;
    egress[l].ecn = link.ecn;
    egress[l].cell_bytes = f.nodes[link.src].cell_bytes;
    egress[l].max_held_bytes = held_bytes(largest - s.wire_gap_bytes, egress[l].cell_bytes);
    egress[l].dst_node = model.local_node[link.dst];
    egress[l].dst_port = link.dst_port;
    egress[l].reverse = model.local_link[link.reverse];
    drr[l].pointer = first_weighted;
    drr[l].deficit[first_weighted] = s.quantum_bytes[first_weighted];

    const Link& incoming = f.links[link.reverse];  // this node keeps the account of packets that arrive at this port
    ingress[l].profile = s.pfc_classes == 0 ? kNone : incoming.ingress;
    ingress[l].pool = incoming.pool == kNone ? kNone : local_pool[incoming.pool];
    ingress[l].phi_ps = link.phi_ps;
    const u32 entries = ingress[l].profile == kNone ? 1 : pause_entries(global_link[l], world, period_ps);
    ingress[l].pause_mask = entries - 1;
    ingress[l].pause_first = static_cast<u32>(changes);
    changes += static_cast<u64>(entries) * s.pfc_classes;
    if (changes <= 0xffffffff) continue;
    throw std::invalid_argument(
        "simulation.slot: with slots this short, more than 4,294,967,295 pause changes could be on their way, which "
        "the engine cannot number; take a longer slot");
  }
  a.add<u64>(v, v.pause_change, "pause changes", StateKind::ragged, changes);
}

/// State of every (link, class) and every (link, lossless class).
void add_queues(Model& model) {
  View& v = model.view;
  Arrays& a = model.arrays;
  const Settings& s = v.settings;
  const u64 queues = static_cast<u64>(model.all_links()) * s.classes;
  const u64 accounts = static_cast<u64>(model.all_links()) * s.pfc_classes;
  a.add<Queue>(v, v.queue, "queues", StateKind::dense, queues);
  a.add<Admitted>(v, v.admitted, "admitted by dynamic limits", StateKind::dense,
                  s.dynamic_limit_mask != 0 ? queues : 0);
  for (u32 p = 0; p < 2; ++p) {
    a.add<Published>(v, v.published[p], "published queues", StateKind::derived, queues);
    a.add<u32>(v, v.head[p], "queue heads", StateKind::derived, queues);
    a.add<u32>(v, v.pause_tail[p], "pause tails", StateKind::derived, accounts);
  }
  a.add<Account>(v, v.account, "pfc accounts", StateKind::dense, accounts);
  a.add<PauseReader>(v, v.pause_reader, "pause readers", StateKind::dense, accounts);
  a.add<LinkTally>(v, v.link_tally, "link counters", StateKind::dense, model.all_links());
}

}  // namespace

u32 pause_entries(LinkId id, const World& world, TimePs period_ps) {
  const Link& link = world.fabric.links[id];
  const u32 ps_per_byte_q16 = slowest_of(world, id);
  const TimePs slot_ps = TimePs{1} << world.clocks.slot_log2_ps;
  const TimePs longest = link.phi_ps + ser_ps(kPauseWireBytes, ps_per_byte_q16) +
                         ser_ps(world.fabric.max_frame_bytes + world.fabric.wire_gap_bytes, ps_per_byte_q16) +
                         kMaxBatchTicks * world.clocks.tick_ps + 2 * period_ps;
  return power_of_two_at_least(static_cast<u64>(longest / slot_ps) + 4);
}

void number_world(const Fabric& f, const EngineOptions& options, Model& model) {
  View& v = model.view;
  std::vector<NodeId> order = local_order(f, options);
  v.nodes = static_cast<u32>(order.size());
  v.endpoints = static_cast<u32>(std::count_if(order.begin(), order.end(), [&](NodeId n) { return n < f.endpoints; }));
  v.switches = v.nodes - v.endpoints;
  std::vector<u32> global_link = number_nodes_and_links(f, order, model);
  number_ghosts(f, options.part, order, global_link, model);
  add_names(f, order, global_link, model);
  model.global_link = std::move(global_link);
}

void instantiate_fabric(const World& world, const EngineOptions& options, Model& model) {
  const Fabric& f = world.fabric;
  View& v = model.view;
  model.arrays.add_plan(v, v.ecn, "ecn profiles", f.ecn);
  model.arrays.add_plan(v, v.ingress_profile, "ingress profiles", f.ingress);
  const std::vector<u32> local_pool = add_pools(f, model);
  add_queues(model);
  add_ports(world, model.global_link, local_pool, options.part.period_ps, model);
  add_port_words(model);
}

}  // namespace heddle
