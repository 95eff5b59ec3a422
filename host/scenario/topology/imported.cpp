// A topology read from a file: hosts become endpoints 0, 1, ... in the file's order, switches follow.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "host/base/error.hpp"
#include "host/scenario/topology/registry.hpp"
#include "host/scenario/topology/topology.hpp"
#include "host/scenario/topology/zone_tiers.hpp"

namespace heddle {
namespace {

std::vector<bool> switch_flags(const PlainTopology& plain) {
  std::vector<bool> is_switch(plain.nodes, false);
  for (u32 id : plain.switches) {
    if (id >= plain.nodes) {
      throw ConfigError(fmt::format(
          "topology file: switch id {} is not below the {} nodes that its first line declares", id, plain.nodes));
    }
    is_switch[id] = true;
  }
  return is_switch;
}

void check_link(const PlainTopology& plain, const PlainLink& link) {
  if (link.a >= plain.nodes || link.b >= plain.nodes) {
    throw ConfigError(fmt::format("topology file, line {}: link {} - {} names a node that is not below the {} declared",
                                  link.line, link.a, link.b, plain.nodes));
  }
  if (link.error_rate != 0) {
    throw ConfigError(
        fmt::format("topology file, line {}: link {} - {} has error rate {}, which is not simulated; set "
                    "it to 0",
                    link.line, link.a, link.b, link.error_rate));
  }
}

/// Switches next to endpoints become RTSWs, their neighbours CTSWs, others ATSWs: buffers and marking go by tier.
void assign_tiers(Graph& graph) {
  const u32 nodes = static_cast<u32>(graph.nodes.size());
  std::vector<std::vector<NodeId>> neighbours(nodes);
  for (const Cable& cable : graph.cables) {
    neighbours[cable.a].push_back(cable.b);
    neighbours[cable.b].push_back(cable.a);
  }
  std::vector<u32> hops(nodes, kNone);
  std::deque<NodeId> frontier;
  for (NodeId e = 0; e < graph.endpoints; ++e) {
    hops[e] = 0;
    frontier.push_back(e);
  }
  for (; !frontier.empty(); frontier.pop_front()) {
    const NodeId node = frontier.front();
    for (NodeId next : neighbours[node]) {
      if (hops[next] != kNone) continue;
      hops[next] = hops[node] + 1;
      frontier.push_back(next);
    }
  }
  for (NodeId node = graph.endpoints; node < nodes; ++node) {
    graph.nodes[node].tier = hops[node] == 1 ? kRtsw : hops[node] == 2 ? kCtsw : kAtsw;
  }
}

}  // namespace

std::vector<NodeId> node_ids_of(const PlainTopology& imported) {
  const std::vector<bool> is_switch = switch_flags(imported);
  std::vector<NodeId> ids(imported.nodes, kNone);
  NodeId next = 0;
  for (const bool switches : {false, true}) {
    for (u32 id = 0; id < imported.nodes; ++id) {
      const bool left_out = !imported.left_out.empty() && imported.left_out[id];
      if (is_switch[id] == switches && !left_out) ids[id] = next++;
    }
  }
  return ids;
}

std::string about_imported_numbers(const Fabric& fabric) {
  constexpr std::string_view kHost = "host";  // other topologies name their nodes differently
  for (EndpointId e = 0; e < fabric.endpoints && e < fabric.names.size(); ++e) {
    const std::string& name = fabric.names[e];
    if (!name.starts_with(kHost)) return "";
    const std::string id = name.substr(kHost.size());
    if (id != std::to_string(e)) return fmt::format("endpoint {} is node {} of the topology file ({})", e, id, name);
  }
  return "";
}

Graph build_imported(const GraphInput& input) {
  if (input.imported == nullptr) {
    throw ConfigError("topology.file: this kind needs the path of a topology.txt; give topology.file");
  }
  const PlainTopology& plain = *input.imported;
  const std::vector<bool> is_switch = switch_flags(plain);
  const std::vector<NodeId> ids = node_ids_of(plain);
  Graph graph;
  graph.tiers = zone_tiers();
  graph.pipelines = false;
  graph.nodes.resize(static_cast<size_t>(std::ranges::count_if(ids, [](NodeId id) { return id != kNone; })));
  for (u32 id = 0; id < plain.nodes; ++id) {
    if (ids[id] == kNone) continue;
    graph.endpoints += is_switch[id] ? 0 : 1;
    graph.nodes[ids[id]].name = fmt::format("{}{}", is_switch[id] ? "switch" : "host", id);
  }
  for (const PlainLink& link : plain.links) {
    check_link(plain, link);
    graph.cables.push_back({ids[link.a], ids[link.b], link.bits_per_s, link.latency_ps});
  }
  std::vector<u32> cables(graph.endpoints, 0);
  for (const Cable& cable : graph.cables) {
    for (const NodeId end : {cable.a, cable.b}) {
      if (end < graph.endpoints) ++cables[end];
    }
  }
  if (graph.endpoints > 0) graph.nic_ports = std::ranges::max(cables);
  assign_tiers(graph);
  return graph;
}

}  // namespace heddle
