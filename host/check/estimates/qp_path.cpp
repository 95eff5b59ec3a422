#include "host/check/estimates/qp_path.hpp"

#include <algorithm>

#include "kernels/instantiate/instantiate.hpp"
#include "kernels/routing/route.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

/// The addresses between which packets of a queue pair travel by a port of the NICs.
struct Ends {
  u32 src, dst;
  u32 number;  // number of the queue pair at dst
};

Ends ends_of(const Fabric& fabric, const Qp& qp, Way way, u32 port) {
  const u32 from = address_of(fabric, qp.src, port), to = address_of(fabric, qp.dst, port);
  if (way == Way::data) return {from, to, qp.receiver_number};
  return {to, from, qp.sender_number};
}

}  // namespace

QpPaths::QpPaths(const World& world) : world_(world) { instantiate_routes(world, model_); }

/// The port of an explicit path at a node; kNone: the path does not pass the node.
u32 QpPaths::path_port(NodeId at, const Qp& qp, Way way) const {
  const Routing& r = world_.routing;
  const u32 path = way == Way::data ? qp.data_path : qp.control_path;
  if (path == kNone) return kNone;
  for (u32 i = r.path_first[path]; i < r.path_first[path + 1]; ++i) {
    if (r.hops[i].node == at) return r.hops[i].port;
  }
  return kNone;
}

/// The port that the switch's policy chooses; with a controller, once its first entries apply.
u32 QpPaths::chosen_port(const Reached& at, const Qp& qp, Way way) {
  const Ends ends = ends_of(world_.fabric, qp, way, nic_port_);
  const PacketKind kind = way == Way::data ? PacketKind::data : PacketKind::ack;
  const Packet packet = make_packet({ends.dst, ends.number, ends.src, qp.source_port_entropy, 0, 0, 0, kind, false});
  const View& v = model_.view;
  const u32 node = model_.local_node[at.at];
  const TimePs t = world_.routing.controller.empty() ? 0 : world_.routing.controller.front().from_ps;
  return route(v, node, packet, v.first_link[node] + at.port, t, not_counted_) - v.first_link[node];
}

/// Returns false when there is no path, or it does not end.
bool QpPaths::leave_by(const Reached& from, u32 port, double share) {
  const LinkId link = world_.fabric.nodes[from.at].first_link + port;
  const NodeId to = world_.fabric.links[link].dst;
  if (to < world_.fabric.endpoints) return false;
  hops_.push_back({link, share, nic_port_});
  const auto known = std::ranges::find(next_, to, &Reached::at);
  if (known == next_.end()) {
    next_.push_back({to, world_.fabric.links[link].dst_port, share});
  } else {
    known->share += share;
  }
  return true;
}

bool QpPaths::leave(const Reached& from, const Qp& qp, Way way) {
  const Routing& r = world_.routing;
  if (r.paths_are_given()) {
    const u32 port = path_port(from.at, qp, way);
    return port != kNone && leave_by(from, port, from.share);
  }
  const std::span<const u16> ports = r.next_hops(from.at, r.group_of[ends_of(world_.fabric, qp, way, nic_port_).dst]);
  if (ports.empty()) return false;
  const u32 policy = model_.view.policy_of[model_.local_node[from.at]];
  if (!routing_policies()[policy].multipath) return leave_by(from, chosen_port(from, qp, way), from.share);
  return std::ranges::all_of(
      ports, [&](u16 port) { return leave_by(from, port, from.share / static_cast<double>(ports.size())); });
}

/// Returns false when there is no path, or it does not end.
bool QpPaths::add_hops(const Qp& qp, Way way, u32 port, double share) {
  constexpr u32 kMaxHops = 64;  // hops of one path
  const Fabric& f = world_.fabric;
  const Routing& r = world_.routing;
  nic_port_ = port;
  const Ends ends = ends_of(f, qp, way, port);
  hops_.push_back({f.nodes[ends.src / f.nic_ports].first_link + port, share, port});
  here_.assign(1, {r.attach_switch[ends.src], r.attach_port[ends.src], share});
  for (u32 length = 0; !here_.empty(); ++length, here_.swap(next_)) {
    next_.clear();
    for (const Reached& from : here_) {
      if (from.at == r.attach_switch[ends.dst]) continue;
      if (length < kMaxHops && leave(from, qp, way)) continue;
      return false;
    }
  }
  hops_.push_back({f.nodes[r.attach_switch[ends.dst]].first_link + r.attach_port[ends.dst], share, port});
  return true;
}

const std::vector<Hop>& QpPaths::hops(const Qp& qp, Way way) {
  const u32 ports = world_.fabric.nic_ports;
  const bool sprays = !is_tcp(world_, qp.traffic_class) && world_.roce.port_choice == PortChoice::per_packet;
  hops_.clear();
  for (u32 p = 0; p < ports; ++p) {
    if (!sprays && p != home_port(qp.sender_number, ports)) continue;
    if (add_hops(qp, way, p, sprays ? 1.0 / ports : 1)) continue;
    hops_.clear();
    break;
  }
  return hops_;
}

}  // namespace heddle
