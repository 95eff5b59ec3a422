#include "host/scenario/topology/other_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "host/base/error.hpp"
#include "io/formats/formats.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

void check_name(const std::string& name, const std::string& where, const Fabric& fabric) {
  const auto is_word = [](char c) {
    return std::islower(static_cast<unsigned char>(c)) || std::isdigit(c) || c == '_';
  };
  if (name.empty() || !std::islower(static_cast<unsigned char>(name[0])) || !std::ranges::all_of(name, is_word)) {
    throw ConfigError(fmt::format(
        "{}.name: \"{}\" begins names of nodes; give lower-case letters, digits and _, a letter first", where, name));
  }
  if (find_fabric(fabric, name) != nullptr)
    throw ConfigError(fmt::format("{}.name: another [[fabric]] is called \"{}\", too; give each its own", where, name));
}

/// The fabric by itself: nodes and tiers have the names of its kind.
Fabric fabric_alone(const OtherFabricOptions& options, const World& world, bool empty_messages) {
  World own;
  own.clocks = world.clocks;
  own.roce = world.roce;
  own.tcp = world.tcp;
  own.fabric.classes = world.fabric.classes;
  build_fabric(options.fabric, nullptr, own, empty_messages);
  return own.fabric;
}

/// Names its hosts by what they are, and begins all names with its own.
void name_nodes(const OtherFabricOptions& options, Fabric& fabric) {
  const u32 cpus = fabric.endpoints - options.storage_hosts;
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) {
    const std::string own = n < cpus               ? fmt::format("cpu{}", n)
                            : n < fabric.endpoints ? fmt::format("storage{}", n - cpus)
                                                   : fabric.names[n];
    fabric.names[n] = fmt::format("{}.{}", options.name, own);
  }
}

/// The tiers that have switches come after those of the other fabrics. Returns [tier of this fabric] its new place.
std::vector<Tier> add_tiers(const OtherFabricOptions& options, u32 index, const Fabric& fabric,
                            std::vector<TierInfo>& all) {
  std::vector<bool> used(fabric.tiers.size(), false);
  for (const Node& node : fabric.nodes) used[static_cast<u32>(node.tier)] = true;
  std::vector<Tier> place(fabric.tiers.size(), Tier::endpoint);
  for (u32 tier = 1; tier < fabric.tiers.size(); ++tier) {
    if (!used[tier]) continue;
    place[tier] = static_cast<Tier>(all.size());
    TierInfo info = fabric.tiers[tier];
    for (std::string* name : {&info.name, &info.title, &info.plural}) *name = fmt::format("{}.{}", options.name, *name);
    info.memory_section = fmt::format("fabric.{}.{}", index, info.memory_section);
    if (!info.policy_key.starts_with("routing.")) info.policy_key = fmt::format("fabric.{}.{}", index, info.policy_key);
    all.push_back(info);
  }
  return place;
}

/// Numbers of nodes when the endpoints of a second fabric come after those of the first ones, and its switches after
/// theirs.
struct Numbers {
  u32 endpoints, other_endpoints, switches;

  NodeId of_first(NodeId n) const { return n < endpoints ? n : n + other_endpoints; }
  NodeId of_other(NodeId n) const { return n + endpoints + (n < other_endpoints ? 0 : switches); }
};

/// Copies the nodes [first, end) of a fabric, with their names and links, behind those that are there.
template <class Renumber>
void append_nodes(const Fabric& from, NodeId first, NodeId end, const Renumber& node, std::vector<LinkId>& link,
                  Fabric& into) {
  for (NodeId n = first; n < end; ++n) {
    const LinkId first_link = static_cast<LinkId>(into.links.size());
    into.nodes.push_back(from.nodes[n]);
    into.nodes.back().first_link = first_link;
    into.names.push_back(from.names[n]);
    for (u32 port = 0; port < from.nodes[n].ports; ++port) {
      link[from.nodes[n].first_link + port] = first_link + port;
      into.links.push_back(from.links[from.nodes[n].first_link + port]);
      into.links.back().src = node(into.links.back().src);
      into.links.back().dst = node(into.links.back().dst);
    }
  }
}

void shift(u32& index, size_t by) {
  if (index != kNone) index += static_cast<u32>(by);
}

/// Both fabrics in one table. Tiers of `other` are those of the whole already.
Fabric joined(const Fabric& first, Fabric other) {
  const auto switches = [](const Fabric& f) { return static_cast<u32>(f.nodes.size()) - f.endpoints; };
  const Numbers numbers{first.endpoints, other.endpoints, switches(first)};
  for (Link& link : other.links) {
    shift(link.ecn, first.ecn.size());
    shift(link.ingress, first.ingress.size());
    shift(link.pool, first.pools.size());
  }
  Fabric all = first;
  all.endpoints = first.endpoints + other.endpoints;
  all.nodes.clear();
  all.links.clear();
  all.names.clear();
  std::vector<LinkId> link_of_first(first.links.size()), link_of_other(other.links.size());
  const auto add_first = [&](NodeId from, NodeId to) {
    append_nodes(
        first, from, to, [&](NodeId n) { return numbers.of_first(n); }, link_of_first, all);
  };
  const auto add_other = [&](NodeId from, NodeId to) {
    append_nodes(
        other, from, to, [&](NodeId n) { return numbers.of_other(n); }, link_of_other, all);
  };
  add_first(0, first.endpoints);
  add_other(0, other.endpoints);
  add_first(first.endpoints, static_cast<NodeId>(first.nodes.size()));
  add_other(other.endpoints, static_cast<NodeId>(other.nodes.size()));
  for (const LinkId l : link_of_first) all.links[l].reverse = link_of_first[all.links[l].reverse];
  for (const LinkId l : link_of_other) all.links[l].reverse = link_of_other[all.links[l].reverse];
  for (Pool& pool : all.pools) pool.node = numbers.of_first(pool.node);
  for (Pool pool : other.pools) {
    pool.node = numbers.of_other(pool.node);
    all.pools.push_back(pool);
  }
  all.ecn.insert(all.ecn.end(), other.ecn.begin(), other.ecn.end());
  all.ingress.insert(all.ingress.end(), other.ingress.begin(), other.ingress.end());
  return all;
}

}  // namespace

void add_fabric(const OtherFabricOptions& options, u32 index, bool empty_messages, World& world) {
  const std::string where = fmt::format("fabric.{}", index);
  check_name(options.name, where, world.fabric);
  if (find_format("topology.kind", options.fabric.topology.kind) != nullptr) {
    throw ConfigError(
        fmt::format("{}.topology.kind: only the first fabric, [topology], comes from a file; choose one of {}", where,
                    built_topologies()));
  }
  Fabric other;
  try {
    other = fabric_alone(options, world, empty_messages);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{} ({}): {}", where, options.name, error.what()));
  }
  if (other.nic_ports != world.fabric.nic_ports) {
    throw ConfigError(fmt::format(
        "{}: its NICs have {} ports and those of the first fabric {}, but all NICs of a world have as many; give both "
        "as many planes and leaves_per_nic",
        where, other.nic_ports, world.fabric.nic_ports));
  }
  if (options.storage_hosts > other.endpoints) {
    throw ConfigError(fmt::format("{}.storage_hosts = {}: it has {} hosts in all; give fewer, or enlarge its topology",
                                  where, options.storage_hosts, other.endpoints));
  }
  if ((u64{world.fabric.endpoints} + other.endpoints) * other.nic_ports > kMaxAddresses) {
    throw ConfigError(fmt::format("{}: with it all fabrics have {} endpoints, and a packet can address {}", where,
                                  u64{world.fabric.endpoints} + other.endpoints, kMaxAddresses / other.nic_ports));
  }
  name_nodes(options, other);
  Fabric first = world.fabric;
  const Tier first_tier = static_cast<Tier>(first.tiers.size());
  const std::vector<Tier> place = add_tiers(options, index, other, first.tiers);
  if (first.tiers.size() > kMaxTiers) {
    throw ConfigError(
        fmt::format("{}: with it all fabrics have {} tiers of switches, and there is room for {}; take "
                    "kinds with fewer tiers",
                    where, first.tiers.size() - 1, kMaxTiers - 1));
  }
  u32 zones = 0;
  for (const Node& node : first.nodes) zones = std::max(zones, node.zone + 1);
  for (Node& node : other.nodes) {
    node.tier = place[static_cast<u32>(node.tier)];
    node.zone += zones;
  }
  first.others.push_back({options.name, first.endpoints, other.endpoints, options.storage_hosts, first_tier});
  world.fabric = joined(first, std::move(other));
}

const OtherFabric* find_fabric(const Fabric& fabric, std::string_view name) {
  const auto found = std::ranges::find(fabric.others, name, &OtherFabric::name);
  return found == fabric.others.end() ? nullptr : &*found;
}

}  // namespace heddle
