#include "host/scenario/topology/leaf_tree.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

void check_ports(const LeafTree& t, std::string_view section) {
  if (t.nic_ports() > kMaxNicPorts) {
    throw ConfigError(
        fmt::format("{0}: {1} planes with {2} ports of a NIC in each are {3} ports, but a NIC has at most {4}; take "
                    "fewer {0}.planes, or smaller {0}.leaves_per_nic",
                    section, t.planes, t.leaves_per_nic, t.nic_ports(), kMaxNicPorts));
  }
  if (t.leaves % t.leaves_per_nic == 0) return;
  throw ConfigError(fmt::format(
      "{0}.leaves_per_nic = {1}: a NIC has a port on each of so many leaves, so {2} leaves (of a pod) are no multiple "
      "of {1}; change one of them",
      section, t.leaves_per_nic, t.leaves));
}

void check_uplinks(const LeafTree& t, std::string_view section) {
  if (t.spines != 0 && t.leaf_uplinks % t.spines != 0) {
    throw ConfigError(
        fmt::format("{}.uplinks_per_leaf = {}: they cannot be divided evenly over {} spines; take a multiple of that, "
                    "or other spines",
                    section, t.leaf_uplinks, t.spines));
  }
  const u64 uplinks = u64{t.spines} * t.spine_uplinks;
  if (t.cores_above() != 0 && uplinks % t.cores != 0) {
    throw ConfigError(fmt::format(
        "{}.cores = {}: the {} uplinks of a pod ({} spines of {}) cannot be divided evenly over them; take a divisor "
        "of {}",
        section, t.cores, uplinks, t.spines, t.spine_uplinks, uplinks));
  }
}

void check(const LeafTree& t, std::string_view section) {
  check_ports(t, section);
  const u64 addresses = u64{t.planes} * t.pods * t.leaves * t.hosts;
  if (addresses > kMaxAddresses) {
    throw ConfigError(fmt::format(
        "{}: {} pods of {} leaves with {} NICs{} are {} ports of NICs, but a packet can address {}; make one of them "
        "smaller",
        section, t.pods, t.leaves, t.hosts, t.planes == 1 ? "" : fmt::format(", in {} planes,", t.planes), addresses,
        kMaxAddresses));
  }
  check_uplinks(t, section);
  const u64 uplinks = t.cores_above() != 0 ? u64{t.spines} * t.spine_uplinks : 0;
  const u64 cables = addresses + u64{t.planes} * t.pods * (u64{t.leaves} * t.leaf_uplinks + uplinks);
  if (cables <= kMaxCables) return;
  throw ConfigError(fmt::format("{}: {} cables are more than can be held ({}); make the fabric smaller", section,
                                cables, kMaxCables));
}

/// Adds `count` switches of a tier in every plane, `per_pod` of them in each pod.
void add_switches(const LeafTree& t, Tier tier, std::string_view name, u32 count, u32 per_pod, Graph& graph) {
  for (u32 plane = 0; plane < t.planes; ++plane) {
    const std::string of_plane = t.planes == 1 ? "" : fmt::format("plane{}_", plane);
    for (u32 s = 0; s < count; ++s)
      graph.nodes.push_back({tier, per_pod == 0 ? 0 : s / per_pod, fmt::format("{}{}{}", of_plane, name, s)});
  }
}

void add_nodes(const LeafTree& t, const std::function<u32(EndpointId)>& set_of, Graph& graph) {
  graph.endpoints = t.endpoints();
  for (EndpointId e = 0; e < graph.endpoints; ++e)
    graph.nodes.push_back({Tier::endpoint, set_of(e) * t.leaves_per_nic / t.leaves, fmt::format("gpu{}", e)});
  add_switches(t, kLeaf, "leaf", t.pods * t.leaves, t.leaves, graph);
  add_switches(t, kSpine, "spine", t.pods * t.spines, t.spines, graph);
  add_switches(t, kCore, "core", t.cores_above(), 0, graph);
}

void add_cables(const LeafTree& t, u32 plane, const LeafOptions& options, Graph& graph) {
  const LayerOptions &leaf_spine = options.layers[kLeafSpine], &spine_core = options.layers[kSpineCore];
  const auto join = [&](NodeId low, NodeId high, const LayerOptions& layer) {
    graph.cables.push_back({low, high, layer.bits_per_s, layer.propagation_ps});
  };
  for (u32 leaf = 0; leaf < t.pods * t.leaves; ++leaf) {
    const u32 first_spine = leaf / t.leaves * t.spines;
    for (u32 up = 0; up < t.leaf_uplinks; ++up)
      join(t.leaf(plane, leaf), t.spine(plane, first_spine + up % t.spines), leaf_spine);
  }
  for (u32 spine = 0; t.cores_above() != 0 && spine < t.pods * t.spines; ++spine) {
    const u32 first_core = spine % t.spines * t.spine_uplinks;
    for (u32 up = 0; up < t.spine_uplinks; ++up)
      join(t.spine(plane, spine), t.core(plane, (first_core + up) % t.cores), spine_core);
  }
}

}  // namespace

LeafTree leaf_tree_of(const GraphInput& input, u32 leaves, u32 hosts) {
  return {input.dimension("planes"),
          input.dimension("leaves_per_nic"),
          input.dimension("pods"),
          leaves,
          hosts,
          input.dimension("spines"),
          input.dimension("uplinks_per_leaf"),
          input.dimension("cores"),
          input.dimension("uplinks_per_spine")};
}

Graph build_leaf_tree(const LeafTree& t, const GraphInput& input, const std::function<u32(EndpointId)>& set_of) {
  check(t, fmt::format("topology.{}", input.topology.kind));
  Graph graph;
  graph.tiers = leaf_tiers();
  graph.nic_ports = t.nic_ports();
  add_nodes(t, set_of, graph);
  for (EndpointId e = 0; e < graph.endpoints; ++e) {
    for (u32 port = 0; port < t.nic_ports(); ++port) {
      const u32 leaf = set_of(e) * t.leaves_per_nic + port % t.leaves_per_nic;
      graph.cables.push_back(
          {e, t.leaf(port / t.leaves_per_nic, leaf), input.link.host_bits_per_s, input.link.host_propagation_ps});
    }
  }
  for (u32 plane = 0; plane < t.planes; ++plane) add_cables(t, plane, input.leaves, graph);
  return graph;
}

}  // namespace heddle
