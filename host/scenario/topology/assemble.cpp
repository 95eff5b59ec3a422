#include "host/scenario/topology/assemble.hpp"

#include <fmt/format.h>

#include <array>

#include "host/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

/// The minimum speed: a lower one in Q16 would not fit into 32 bits.
constexpr u64 kMinBitsPerS = 125'000'000;
/// The limit of [link], for cables of an imported file, too: sums of latencies stay far from overflow, and no byte
/// takes zero time.
constexpr u64 kMaxBitsPerS = 10'000'000'000'000;
constexpr TimePs kMaxPropagationPs = 1'000'000'000'000;

void check_cables(const Graph& graph) {
  std::vector<u32> ports(graph.nodes.size(), 0);
  for (const Cable& c : graph.cables) {
    const std::string& a = graph.nodes[c.a].name;
    const std::string& b = graph.nodes[c.b].name;
    if (c.a == c.b) throw ConfigError(fmt::format("topology: {} is cabled to itself; remove that link", a));
    if (c.a < graph.endpoints && c.b < graph.endpoints) {
      throw ConfigError(
          fmt::format("topology: endpoints {} and {} are cabled to each other; only switches forward "
                      "packets, so put a switch between them",
                      a, b));
    }
    if (c.bits_per_s < kMinBitsPerS) {
      throw ConfigError(
          fmt::format("topology: the cable {} - {} has {} bit/s; the slowest link that can be simulated "
                      "has 125 Mb/s",
                      a, b, c.bits_per_s));
    }
    if (c.bits_per_s > kMaxBitsPerS) {
      throw ConfigError(fmt::format(
          "topology: the cable {} - {} has {} bit/s; the fastest link that can be simulated has 10 Tb/s, so "
          "check the unit",
          a, b, c.bits_per_s));
    }
    if (c.propagation_ps < 0 || c.propagation_ps > kMaxPropagationPs) {
      throw ConfigError(
          fmt::format("topology: the cable {} - {} has a delay of {} ps; it must be 0 to 1 s, so check the unit", a, b,
                      c.propagation_ps));
    }
    ++ports[c.a];
    ++ports[c.b];
  }
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    if (n < graph.endpoints && ports[n] != graph.nic_ports) {
      throw ConfigError(fmt::format(
          "topology: endpoint {} has {} cable{}, but NICs of this fabric have {}, one to a switch for each port; {}",
          graph.nodes[n].name, ports[n], ports[n] == 1 ? "" : "s", graph.nic_ports,
          ports[n] < graph.nic_ports ? "add the missing ones" : "remove some"));
    }
    if (ports[n] > kMaxPorts) {
      throw ConfigError(
          fmt::format("topology: {} has {} ports; a packet can name {} of them. Use a Clos of smaller "
                      "switches",
                      graph.nodes[n].name, ports[n], kMaxPorts));
    }
  }
}

/// All ports of a NIC have one speed, that of its first port.
void check_speeds_of_ports(const Fabric& fabric) {
  for (EndpointId e = 0; e < fabric.endpoints; ++e) {
    const LinkId first = fabric.nodes[e].first_link;
    for (LinkId l = first + 1; l < first + fabric.nodes[e].ports; ++l) {
      if (fabric.links[l].ps_per_byte_q16 == fabric.links[first].ps_per_byte_q16) continue;
      throw ConfigError(
          fmt::format("topology: the cables of {} have different rates; all ports of a NIC have one rate here, so give "
                      "its cables the same",
                      fabric.names[e]));
    }
  }
}

struct Pipelines {
  TimePs egress_ps, ingress_ps;
};

Pipelines pipelines_of(std::string_view tier, const FabricOptions& options) {
  if (const TierOptions* own = options.leaves.find(tier)) return {own->egress_ps, own->ingress_ps};
  const LatencyOptions& o = options.latency;
  if (tier == "endpoint") return {o.nic_transmit_ps, o.nic_receive_ps};
  if (tier == "rtsw") return {o.rtsw_egress_ps, o.rtsw_ingress_ps};
  if (tier == "ctsw") return {o.ctsw_egress_ps, o.ctsw_ingress_ps};
  return {o.atsw_egress_ps, o.atsw_ingress_ps};
}

std::string_view tier_name(const Graph& graph, NodeId node) {
  return graph.tiers[static_cast<u32>(graph.nodes[node].tier)].name;
}

/// One direction of a cable, without its number and its reverse.
Link directed(const Cable& cable, bool forward, const Graph& graph, const FabricOptions& options) {
  Link link;
  link.src = forward ? cable.a : cable.b;
  link.dst = forward ? cable.b : cable.a;
  link.ps_per_byte_q16 =
      ps_per_byte_q16_of(cable.bits_per_s) | (options.link.whole_nanoseconds ? kWholeNanoseconds : 0);
  link.prop_ps = cable.propagation_ps;
  link.lambda_ps = cable.propagation_ps;
  if (graph.pipelines) {
    link.lambda_ps += pipelines_of(tier_name(graph, link.src), options).egress_ps +
                      pipelines_of(tier_name(graph, link.dst), options).ingress_ps;
  }
  link.phi_ps = cable.propagation_ps + (options.pfc.standard_response ? standard_pause_response_ps(cable.bits_per_s)
                                                                      : options.pfc.response_ps);
  if (link.lambda_ps < 1 || link.phi_ps < 1) {
    throw ConfigError(fmt::format(
        "topology: {} -> {} takes no time ({} 0 ps); nodes can only be simulated in parallel "
        "when every hop takes time. Give the cable a propagation delay",
        graph.nodes[link.src].name, graph.nodes[link.dst].name, link.lambda_ps < 1 ? "packets:" : "pause frames:"));
  }
  return link;
}

void add_nodes(const Graph& graph, Fabric& fabric) {
  fabric.endpoints = graph.endpoints;
  fabric.tiers = graph.tiers;
  fabric.nics_per_server = graph.nics_per_server;
  fabric.nic_ports = graph.nic_ports;
  fabric.nodes.resize(graph.nodes.size());
  fabric.names.reserve(graph.nodes.size());
  for (const Cable& c : graph.cables) {
    ++fabric.nodes[c.a].ports;
    ++fabric.nodes[c.b].ports;
  }
  u32 first = 0;
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    Node& node = fabric.nodes[n];
    node.kind = n < graph.endpoints ? NodeKind::endpoint : NodeKind::node_switch;
    node.tier = graph.nodes[n].tier;
    node.zone = graph.nodes[n].zone;
    node.first_link = first;
    first += node.ports;
    fabric.names.push_back(graph.nodes[n].name);
  }
}

}  // namespace

TimePs standard_pause_response_ps(u64 bits_per_s) {
  struct Row {
    u64 bits_per_s;
    u32 quanta;
  };
  // SONiC's headroom plugin; a speed between two rows takes the faster one's quanta.
  constexpr std::array<Row, 8> kRows = {{{10'000'000'000, 67},
                                         {25'000'000'000, 80},
                                         {40'000'000'000, 118},
                                         {50'000'000'000, 147},
                                         {100'000'000'000, 394},
                                         {200'000'000'000, 453},
                                         {400'000'000'000, 905},
                                         {800'000'000'000, 905}}};
  u32 quanta = kRows.back().quanta;
  for (auto row = kRows.rbegin(); row != kRows.rend(); ++row) {
    if (row->bits_per_s >= bits_per_s) quanta = row->quanta;
  }
  return ser_ps(quanta * 64ull, ps_per_byte_q16_of(bits_per_s));
}

std::string describe_link(const Fabric& fabric, LinkId link) {
  const Link& l = fabric.links[link];
  return fmt::format("{} port {} -> {} port {}", fabric.names[l.src], l.src_port, fabric.names[l.dst], l.dst_port);
}

Fabric assemble_fabric(const Graph& graph, const FabricOptions& options) {
  if (graph.endpoints < 2) throw ConfigError("topology: fewer than 2 endpoints; there is nobody to talk to");
  if (u64{graph.endpoints} * graph.nic_ports > kMaxAddresses) {
    throw ConfigError(fmt::format("topology: {} endpoints with {} ports each; a packet can address {} ports",
                                  graph.endpoints, graph.nic_ports, kMaxAddresses));
  }
  if (graph.nic_ports == 0 || graph.nic_ports > kMaxNicPorts) {
    throw ConfigError(
        fmt::format("topology: NICs with {} ports; 1 to {} can be simulated", graph.nic_ports, kMaxNicPorts));
  }
  check_cables(graph);
  Fabric fabric;
  add_nodes(graph, fabric);
  fabric.links.resize(graph.cables.size() * 2);
  std::vector<u32> ports(graph.nodes.size(), 0);
  for (const Cable& cable : graph.cables) {
    const u32 a_port = ports[cable.a]++, b_port = ports[cable.b]++;
    const LinkId forward = fabric.nodes[cable.a].first_link + a_port;
    const LinkId backward = fabric.nodes[cable.b].first_link + b_port;
    Link& there = fabric.links[forward] = directed(cable, true, graph, options);
    Link& back = fabric.links[backward] = directed(cable, false, graph, options);
    there.src_port = back.dst_port = a_port;
    there.dst_port = back.src_port = b_port;
    there.reverse = backward;
    back.reverse = forward;
  }
  check_speeds_of_ports(fabric);
  return fabric;
}

}  // namespace heddle
