// What a picture of a fabric shows: groups, the kinds of nodes in each, and the cables between tiers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/world/fabric.hpp"

namespace heddle::drawing {

struct Range {
  u32 min = 0, max = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Widens a range to hold `value`; the first one makes it.
void include(Range& range, bool is_first, u32 value);

/// The cables of a node to nodes of one tier at one rate.
struct Cabling {
  Tier to = Tier::endpoint;
  u64 bits_per_s = 0;
  u32 cables = 0;
  auto operator<=>(const Cabling&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is of <=>
};

/// Nodes of one group and tier that have as many cables to each tier and of each rate.
struct NodesAlike {
  Tier tier = Tier::endpoint;
  u32 nodes = 0;
  std::vector<Cabling> cabling;
  friend bool operator==(const NodesAlike&, const NodesAlike&) = default;
};

/// A fabric, plane, zone, pod or unit; the outermost one is the whole fabric.
struct Group {
  std::string noun;               // "zone"; "" for the whole fabric
  u32 number = 0;                 // from 0, among those of its parent
  std::string name;               // of a fabric; "": it has its number
  std::vector<NodesAlike> nodes;  // those in none of `parts`, tier by tier
  std::vector<Group> parts;
};

/// Whether both hold the same nodes and parts.
bool alike(const Group& a, const Group& b);

/// All nodes of a tier. Capacities are sums over the cables of its nodes; cables between two of them count twice.
struct TierSummary {
  TierInfo info;
  u32 nodes = 0;
  u64 down_bits_per_s = 0, across_bits_per_s = 0, up_bits_per_s = 0;
};

/// How groups are joined by cables between their nodes of one tier; none are: the noun is empty.
struct GroupJoins {
  std::string noun = {};
  Range neighbours = {};       // of a group: how many others it has cables to
  Range others = {};           // how many others there are in the same outer group
  Range cables_per_pair = {};  // of groups that have cables to each other
};

/// All cables between two tiers, or between nodes of one.
struct LayerSummary {
  Tier low = Tier::endpoint, high = Tier::endpoint;
  u64 cables = 0;
  std::vector<std::pair<u64, u64>> rates;  // bits per second, and how many cables have that rate
  Range neighbours;                        // of a lower node: how many higher nodes it has cables to
  Range cables_per_pair;                   // of nodes that have cables to each other
  Range reach;        // of a lower node: the higher nodes that are in the same groups, so far as they are in any
  std::string scope;  // "zone": the innermost group of higher nodes that counts for `reach`; "": the whole fabric
  GroupJoins joins;   // of cables between nodes of one tier
};

struct FabricSummary {
  std::vector<TierSummary> tiers;    // [Tier]; some may have no nodes
  std::vector<LayerSummary> layers;  // by lower, then by higher tier
  Group whole;
  u32 nics_per_server = 0;    // as Fabric's
  Range switches_per_server;  // to which these NICs have cables
};

FabricSummary summarise(const Fabric& fabric);

}  // namespace heddle::drawing
