#include "host/scenario/topology/link_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "host/base/error.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

using NodesByName = std::map<std::string_view, NodeId>;

NodeId node_named(const NodesByName& nodes, const std::string& name, const PlainWeight& at, const std::string& path) {
  const auto found = nodes.find(name);
  if (found != nodes.end()) return found->second;
  throw ConfigError(fmt::format(
      "{}:{}: there is no node '{}' in this fabric; its nodes are named as in results, {} and {} for example", path,
      at.line, name, nodes.begin()->first, nodes.rbegin()->first));
}

}  // namespace

std::vector<u32> weights_by_speed(const Fabric& fabric) {
  constexpr u64 kMbps = 1'000'000;
  std::vector<u64> mbps;
  u64 divisor = 0, most = 0;
  for (const Link& link : fabric.links) {
    const u64 speed = bits_per_s_of(link.ps_per_byte_q16);
    mbps.push_back(std::max<u64>(1, (speed + kMbps / 2) / kMbps));
    divisor = std::gcd(divisor, mbps.back());
    most = std::max(most, mbps.back());
  }
  std::vector<u32> weights;
  if (divisor == 0) return weights;
  const bool too_large = most / divisor > kMaxLinkWeight;
  for (const u64 speed : mbps) {
    const u64 weight = too_large ? speed * kMaxLinkWeight / most : speed / divisor;
    weights.push_back(static_cast<u32>(std::max<u64>(1, weight)));
  }
  return weights;
}

void set_link_weights(std::span<const PlainWeight> weights, const std::string& path, World& world) {
  const Fabric& fabric = world.fabric;
  NodesByName nodes;
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) nodes.emplace(fabric.names[n], n);
  world.routing.link_weight.assign(fabric.links.size(), 1);
  std::map<std::pair<NodeId, NodeId>, u32> line_of;
  for (const PlainWeight& weight : weights) {
    const NodeId from = node_named(nodes, weight.from, weight, path), to = node_named(nodes, weight.to, weight, path);
    const auto [first, is_new] = line_of.try_emplace({from, to}, weight.line);
    if (!is_new) {
      throw ConfigError(fmt::format("{}:{}: {} to {} is given a second time, first in line {}; keep one", path,
                                    weight.line, weight.from, weight.to, first->second));
    }
    u32 links = 0;
    const Node& node = fabric.nodes[from];
    for (LinkId l = node.first_link; l < node.first_link + node.ports; ++l) {
      if (fabric.links[l].dst != to) continue;
      world.routing.link_weight[l] = weight.weight;
      ++links;
    }
    if (links == 0 || from < fabric.endpoints) {
      throw ConfigError(fmt::format("{}:{}: {} is no switch with a link to {}, so nothing could have this weight", path,
                                    weight.line, weight.from, weight.to));
    }
  }
}

}  // namespace heddle
