// Fabrics for the tests of pictures: those of configurations, and some by hand that no topology builds yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/base/units.hpp"

namespace heddle::testing_fabrics {

inline constexpr u64 kGigabit = 1'000'000'000;

/// A fabric of this [topology] section.
inline Fabric fabric_of(const std::string& topology) {
  const std::string message = "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n";
  return build_world("[topology]\n" + topology + message, "test.toml").fabric;
}

inline Fabric fabric_of_file(const std::string& path) { return build_world(load_config(path)).fabric; }

struct HandMadeCable {
  NodeId a, b;
  u64 bits_per_s = 400 * kGigabit;
};

/// Nodes of these tiers, all in zone 0, endpoints first, as leaves, spines and cores.
inline Fabric fabric_by_hand(const std::vector<u32>& tiers, const std::vector<HandMadeCable>& cables) {
  Fabric fabric;
  fabric.tiers = leaf_tiers();
  std::vector<std::vector<Link>> links(tiers.size());  // [NodeId]
  for (const HandMadeCable& cable : cables) {
    const u32 speed = ps_per_byte_q16_of(cable.bits_per_s);
    links[cable.a].push_back({.src = cable.a, .dst = cable.b, .ps_per_byte_q16 = speed});
    links[cable.b].push_back({.src = cable.b, .dst = cable.a, .ps_per_byte_q16 = speed});
    links[cable.a].back().dst_port = static_cast<u32>(links[cable.b].size() - 1);
    links[cable.b].back().dst_port = static_cast<u32>(links[cable.a].size() - 1);
  }
  for (NodeId n = 0; n < tiers.size(); ++n) {
    const bool endpoint = tiers[n] == 0;
    fabric.endpoints += endpoint ? 1 : 0;
    fabric.nodes.push_back({endpoint ? NodeKind::endpoint : NodeKind::node_switch, Tier{static_cast<u8>(tiers[n])},
                            static_cast<u32>(fabric.links.size()), static_cast<u32>(links[n].size())});
    fabric.links.insert(fabric.links.end(), links[n].begin(), links[n].end());
  }
  for (Link& link : fabric.links) link.reverse = fabric.nodes[link.dst].first_link + link.dst_port;
  return fabric;
}

/// `planes` planes of 2 spines and 2 units of 4 leaves, 32 endpoints of 4 a server: NIC r of a server has in each plane
/// a cable to leaf r of its unit.
inline Fabric planes_of_rails(u32 planes) {
  constexpr u32 kEndpoints = 32, kUnits = 2, kRails = 4, kSpines = 2;
  std::vector<u32> tiers(kEndpoints, 0);
  std::vector<HandMadeCable> cables;
  tiers.insert(tiers.end(), planes * kUnits * kRails, 1);
  tiers.insert(tiers.end(), planes * kSpines, 2);
  for (u32 plane = 0; plane < planes; ++plane) {
    const NodeId leaves = kEndpoints + plane * kUnits * kRails;
    const NodeId spines = kEndpoints + planes * kUnits * kRails + plane * kSpines;
    for (u32 e = 0; e < kEndpoints; ++e) {
      const u32 unit = e / (kEndpoints / kUnits);
      cables.push_back({e, leaves + unit * kRails + e % kRails, 200 * kGigabit});
    }
    for (u32 leaf = 0; leaf < kUnits * kRails; ++leaf) {
      for (u32 spine = 0; spine < kSpines; ++spine) cables.push_back({leaves + leaf, spines + spine});
    }
  }
  Fabric fabric = fabric_by_hand(tiers, cables);
  fabric.nics_per_server = kRails;
  return fabric;
}

}  // namespace heddle::testing_fabrics
