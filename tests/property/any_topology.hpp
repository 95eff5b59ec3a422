// A topology of the registry whose dimensions are drawn without knowing what they mean: also one that is added later.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/scenario/topology/graph.hpp"

namespace heddle::property {

struct AnyTopology {
  std::string kind;
  std::vector<std::pair<std::string_view, i64>> dimensions;  // all of [topology.KIND]
  Graph graph;                                               // what its builder makes of them

  const std::string& name(NodeId node) const { return graph.nodes[node].name; }
  /// The node that an endpoint hangs on.
  NodeId switch_of(EndpointId endpoint) const;
  /// Ports of the node that has the most.
  u32 max_ports() const;
  u32 count(Tier tier) const;
  i64 dimension(std::string_view key) const;
  /// Whether its packets may take detours.
  bool can_detour() const;
};

/// Draws one of 2 to 24 endpoints, with a port each and servers of any size, that can all reach each other.
/// `for_detours`: one whose packets may take detours.
AnyTopology draw_any_topology(u64 seed, bool for_detours);

}  // namespace heddle::property
