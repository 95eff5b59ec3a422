#include "host/scenario/topology/link_types.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "host/scenario/topology/headroom.hpp"

namespace heddle {

namespace {

// Links with equal values are alike, whether or not they share a profile.
using IngressKey = std::tuple<bool, bool, u32, u32, u32, u32>;

IngressKey ingress_key(const Fabric& fabric, u32 index) {
  if (index == kNone) return {};
  const IngressProfile& p = fabric.ingress[index];
  return {true, p.dynamic, p.xoff_bytes, p.xon_bytes, p.headroom_bytes, p.alpha_q16};
}

std::tuple<u32, u32, u32> ecn_key(const Fabric& fabric, u32 index) {
  if (index == kNone) return {};
  return {fabric.ecn[index].kmin_bytes, fabric.ecn[index].kmax_bytes, fabric.ecn[index].pmax_q32};
}

}  // namespace

std::string link_name(const Fabric& fabric, LinkId l) {
  const Link& link = fabric.links[l];
  const auto node_name = [&](NodeId n) {
    return n < fabric.names.size() ? fabric.names[n] : fmt::format("node {}", n);
  };
  return fmt::format("{} -> {} (port {} of {})", node_name(link.src), node_name(link.dst), link.src_port,
                     node_name(link.src));
}

std::vector<LinkType> link_types_of(const World& world) {
  const Fabric& fabric = world.fabric;
  using Key = std::tuple<Tier, Tier, u32, TimePs, TimePs, TimePs, std::tuple<u32, u32, u32>, IngressKey>;
  std::map<Key, size_t> index;
  std::vector<LinkType> types;
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    const Link& k = fabric.links[l];
    const Key key{
        fabric.nodes[k.src].tier, fabric.nodes[k.dst].tier,      k.ps_per_byte_q16, k.prop_ps, k.lambda_ps, k.phi_ps,
        ecn_key(fabric, k.ecn),   ingress_key(fabric, k.ingress)};
    const auto [at, is_new] = index.try_emplace(key, types.size());
    if (is_new) types.push_back({l, 0, k.ingress == kNone ? 0 : headroom_bytes(l, fabric, world.clocks)});
    ++types[at->second].links;
  }
  return types;
}

}  // namespace heddle
