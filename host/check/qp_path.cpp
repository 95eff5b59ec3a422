#include "host/check/qp_path.hpp"

#include "kernels/routing/ecmp.hpp"

namespace heddle {

QpPaths::QpPaths(const World& world) : world_(world) {
  for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n)
    hash_state_.push_back(hash64(world.seed, Stream::ecmp, world.routing.common_seed ? 0 : n));
}

/// kNone: no way.
u32 QpPaths::port_at(NodeId at, const Qp& qp, Way way) const {
  const Routing& r = world_.routing;
  const EndpointId src = way == Way::data ? qp.src : qp.dst, dst = way == Way::data ? qp.dst : qp.src;
  if (r.policy == RoutingPolicy::explicit_paths) {
    const u32 path = way == Way::data ? qp.data_path : qp.control_path;
    if (path == kNone) return kNone;
    for (u32 i = r.path_first[path]; i < r.path_first[path + 1]; ++i) {
      if (r.hops[i].node == at) return r.hops[i].port;
    }
    return kNone;
  }
  const std::span<const u16> ports = r.next_hops(at, r.group_of[dst]);
  if (ports.empty()) return kNone;
  if (ports.size() == 1) return ports.front();
  const u32 number = way == Way::data ? qp.receiver_number : qp.sender_number;
  return ports[ecmp_choice(hash_state_[at - world_.fabric.endpoints], {src, dst, qp.source_port_entropy, number},
                           r.policy == RoutingPolicy::e_ecmp, static_cast<u32>(ports.size()))];
}

const std::vector<LinkId>& QpPaths::links(const Qp& qp, Way way) {
  constexpr size_t kMostHops = 64;
  const Fabric& f = world_.fabric;
  const Routing& r = world_.routing;
  const EndpointId src = way == Way::data ? qp.src : qp.dst, dst = way == Way::data ? qp.dst : qp.src;
  links_.assign(1, f.nodes[src].first_link);
  for (NodeId at = r.attach_switch[src]; at != r.attach_switch[dst]; at = f.links[links_.back()].dst) {
    const u32 port = at < f.endpoints ? kNone : port_at(at, qp, way);
    if (port == kNone || links_.size() == kMostHops) {
      links_.clear();
      return links_;
    }
    links_.push_back(f.nodes[at].first_link + port);
  }
  links_.push_back(f.nodes[r.attach_switch[dst]].first_link + r.attach_port[dst]);
  return links_;
}

}  // namespace heddle
