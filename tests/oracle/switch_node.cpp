#include "tests/oracle/switch_node.hpp"

#include <algorithm>

#include "kernels/base/hash.hpp"
#include "tests/oracle/routing/detours.hpp"

namespace heddle::oracle {

SwitchNode::SwitchNode(Simulation& sim, NodeId node) : sim_(sim), node_(node), buffers_(sim, node) {
  const Node& self = sim.world.fabric.nodes[node];
  for (u32 p = 0; p < self.ports; ++p) ports_.emplace_back(sim, self.first_link + p);
  queues_.resize(self.ports);
  policy_ = policy_named(sim.world.routing.policy_of(self));
  sampled_bytes_.resize(self.ports);
}

void SwitchNode::instant(TimePs t) {
  const TimePs slot_ps = TimePs{1} << sim_.world.clocks.slot_log2_ps;
  if (t % sim_.world.clocks.epoch_ps != 0) sample_queues(t);  // before anything changes
  change_links(t);
  apply_pauses(t);
  watch_pauses(t);
  sample_queues(t);
  if (t % slot_ps == 0) buffers_.sample(t, ports_);
  accept_arrivals(t);
  for (u32 p = 0; p < ports_.size(); ++p) start(p, t);
  if (buffers_.busy() || waits_paused()) sim_.wake(node_, t - t % slot_ps + slot_ps);
}

/// Samples the queues as of the epoch start: nothing has happened here since.
void SwitchNode::sample_queues(TimePs t) {
  if (t / sim_.world.clocks.epoch_ps == sampled_epoch_) return;
  sampled_epoch_ = t / sim_.world.clocks.epoch_ps;
  for (u32 p = 0; p < queues_.size(); ++p) sampled_bytes_[p] = queued_bytes(p);
}

/// Where no path exists even without failures, the World is wrong, which the policy reports.
bool SwitchNode::has_a_way(const Arrival& arrival, TimePs t) const {
  const Routing& routing = sim_.world.routing;
  EndpointId dst = arrival.packet.dst;
  if (!routing.rows_change() || routing.attach_switch[dst] == node_) return true;
  u32 group = routing.group_of[dst];
  return !routing.next_hops(node_, group, t).empty() || routing.next_hops(node_, group).empty();
}

u32 SwitchNode::route(const Arrival& arrival, TimePs t) {
  const Routing& routing = sim_.world.routing;
  EndpointId dst = arrival.packet.dst;
  if (routing.attach_switch[dst] == node_) return routing.attach_port[dst];
  u32 ingress_port = sim_.world.fabric.links[arrival.link].dst_port;
  return policy_->choose({sim_.world, node_, arrival.packet, ingress_port, t,
                          [&](u32 port) { return sampled_bytes_[port]; }, &sim_.recorder.outcome().totals});
}

void SwitchNode::apply_pauses(TimePs t) {
  for (const PauseEffect& effect : pause_effects.take(t)) {
    u32 port = sim_.world.fabric.links[effect.link].src_port;
    ports_[port].set_paused(effect.cls, effect.pause, t);
    if (!effect.pause) queues_[port][effect.cls].tripped = false;
  }
}

/// Empties queues at an epoch start that have been paused for too long; they stay empty until the pause ends.
void SwitchNode::watch_pauses(TimePs t) {
  const Fabric& fabric = sim_.world.fabric;
  if (fabric.watchdog_ps == 0 || t % sim_.world.clocks.epoch_ps != 0) return;
  for (u32 p = 0; p < ports_.size(); ++p) {
    for (u32 c = 0; c < fabric.classes.size(); ++c) {
      Queue& queue = queues_[p][c];
      if (!ports_[p].paused(c) || queue.packets.empty()) continue;
      if (t - ports_[p].paused_since_ps(c) < fabric.watchdog_ps) continue;
      queue.tripped = true;
      empty_queue(p, c, DropCause::watchdog, t);
    }
  }
}

void SwitchNode::empty_queue(u32 port, u32 cls, DropCause cause, TimePs t) {
  Queue& queue = queues_[port][cls];
  for (const Arrival& waiting : queue.packets) {
    drop_at_egress(t, waiting.packet, cls, cause, port);
    if (buffers_.accounts_for(waiting.link, waiting.packet.cls)) buffers_.release(waiting.link, waiting.packet);
    if (buffers_.limits_dynamically(ingress_of(port), cls))
      buffers_.release_best_effort(ingress_of(port), buffers_.held(waiting.packet));
  }
  queue.packets.clear();
  queue.bytes = 0;
}

/// A cable that goes down ends the pauses of this end, and those that its accounts have sent to the far end.
void SwitchNode::change_links(TimePs t) {
  for (u32 p = 0; p < ports_.size(); ++p) {
    if (!ports_[p].take_change(t)) continue;
    for (u32 c = 0; c < kMaxClasses; ++c) {
      queues_[p][c].tripped = false;
      empty_queue(p, c, DropCause::link_down, t);
    }
    buffers_.link_goes_down(ingress_of(p));
  }
}

bool SwitchNode::waits_paused() const {
  for (u32 p = 0; p < ports_.size(); ++p) {
    for (u32 c = 0; c < kMaxClasses; ++c) {
      if (ports_[p].paused(c) && !queues_[p][c].packets.empty()) return true;
    }
  }
  return false;
}

LinkId SwitchNode::ingress_of(u32 port) const { return sim_.world.fabric.links[ports_[port].link()].reverse; }

bool SwitchNode::drop(TimePs t, const Packet& packet, u32 cls, DropCause cause, u32 port) {
  sim_.recorder.event(EventKind::drop, t, node_, port, cls, packet.id(), static_cast<u32>(cause));
  return true;
}

bool SwitchNode::drop_at_egress(TimePs t, const Packet& packet, u32 cls, DropCause cause, u32 port) {
  sim_.links.drops_at_egress(ports_[port].link());
  return drop(t, packet, cls, cause, port);
}

u64 SwitchNode::queued_bytes(u32 port) const {
  u64 sum = 0;
  for (const Queue& queue : queues_[port]) sum += queue.bytes;
  return sum;
}

/// Simultaneous arrivals rank by ingress port, rotated by chance: a fixed order would favour the lowest port.
void SwitchNode::accept_arrivals(TimePs t) {
  std::vector<Arrival> arrived = arrivals.take(t);
  u64 rotation = hash32(sim_.world.seed, Stream::tie, static_cast<u64>(node_), static_cast<u64>(t));
  auto rank = [&](const Arrival& a) { return (sim_.world.fabric.links[a.link].dst_port + rotation) % ports_.size(); };
  std::sort(arrived.begin(), arrived.end(), [&](const Arrival& a, const Arrival& b) { return rank(a) < rank(b); });
  for (Arrival& arrival : arrived) accept(arrival, t);
}

void SwitchNode::accept(Arrival arrival, TimePs t) {
  Packet& packet = arrival.packet;
  u32 ingress_port = sim_.world.fabric.links[arrival.link].dst_port;
  if (!has_a_way(arrival, t)) {
    sim_.links.drops_on_arrival(arrival.link);
    drop(t, packet, packet.cls, DropCause::no_route, ingress_port);
    return;
  }
  u32 port = route(arrival, t);
  u32 cls = class_onward(sim_.world, node_, ingress_port, port, packet.cls);
  if (refuse(arrival, port, cls, t)) return;
  if (buffers_.accounts_for(arrival.link, packet.cls)) buffers_.charge(arrival.link, packet);
  Queue& queue = queues_[port][cls];
  queue.bytes += buffers_.held(packet);
  sim_.links.accepts(ports_[port].link(), queued_bytes(port), t);
  if (buffers_.limits_dynamically(ingress_of(port), cls)) {
    buffers_.charge_best_effort(ingress_of(port), cls, buffers_.held(packet), t);
  }
  if (sim_.world.fabric.ecn_at_arrival) maybe_mark(packet, port, cls, queue.bytes, t);
  queue.packets.push_back(arrival);
}

/// The drop tests in order: the egress link, the watchdog, limits of the egress queue, the headroom of the ingress, the
/// pool. The queue is that of class `cls`; the account is of the class in which the packet came, which events name.
bool SwitchNode::refuse(const Arrival& arrival, u32 port, u32 cls, TimePs t) {
  const Packet& packet = arrival.packet;
  const Queue& queue = queues_[port][cls];
  u64 bytes = buffers_.held(packet), limit = sim_.world.fabric.classes[cls].limit_bytes;
  if (!ports_[port].up()) return drop_at_egress(t, packet, packet.cls, DropCause::link_down, port);
  if (queue.tripped) return drop_at_egress(t, packet, packet.cls, DropCause::watchdog, port);
  if (limit > 0 && queue.bytes + bytes > limit)
    return drop_at_egress(t, packet, packet.cls, DropCause::class_limit, port);
  if (buffers_.limits_dynamically(ingress_of(port), cls) &&
      buffers_.refuses_best_effort(ingress_of(port), cls, queue.bytes, bytes, t)) {
    return drop_at_egress(t, packet, packet.cls, DropCause::class_limit, port);
  }
  if (!buffers_.accounts_for(arrival.link, packet.cls)) return false;
  auto cause = buffers_.refuses(arrival.link, packet, t);
  if (!cause) return false;
  sim_.links.drops_on_arrival(arrival.link);
  return drop(t, packet, packet.cls, *cause, sim_.world.fabric.links[arrival.link].dst_port);
}

void SwitchNode::start(u32 port, TimePs t) {
  Transmitter& transmitter = ports_[port];
  if (!transmitter.idle(t)) return;
  Heads heads{};
  for (u32 c = 0; c < kMaxClasses; ++c) {
    const Queue& queue = queues_[port][c];
    if (!queue.packets.empty() && !transmitter.paused(c)) heads[c] = queue.packets.front().packet.frame_bytes;
  }
  auto cls = transmitter.scheduler.choose(heads);
  if (!cls) return;
  Queue& queue = queues_[port][*cls];
  Arrival head = queue.packets.front();
  queue.packets.pop_front();
  if (!sim_.world.fabric.ecn_at_arrival) maybe_mark(head.packet, port, *cls, queue.bytes, t);
  queue.bytes -= buffers_.held(head.packet);
  if (buffers_.limits_dynamically(ingress_of(port), *cls)) {
    buffers_.release_best_effort(ingress_of(port), buffers_.held(head.packet));
  }
  if (buffers_.accounts_for(head.link, head.packet.cls)) buffers_.release(head.link, head.packet);
  head.packet.cls = *cls;
  transmitter.send(head.packet, t);
}

/// ECN marking by the length of the queue, the packet itself included (RED profile of the egress).
void SwitchNode::maybe_mark(Packet& packet, u32 port, u32 cls, u64 queue_bytes, TimePs t) {
  const Fabric& fabric = sim_.world.fabric;
  const Link& link = fabric.links[ports_[port].link()];
  if (packet.kind != PacketKind::data || packet.marked || !fabric.classes[cls].ecn || link.ecn == kNone) return;
  const EcnProfile& profile = fabric.ecn[link.ecn];
  if (queue_bytes <= profile.kmin_bytes) return;
  if (queue_bytes <= profile.kmax_bytes) {
    u64 where = (static_cast<u64>(node_) << 32) | port;
    u64 coin = hash32(sim_.world.seed, Stream::ecn, where, static_cast<u64>(t));
    u64 range = profile.kmax_bytes - profile.kmin_bytes;
    if (coin * range >= static_cast<u64>(profile.pmax_q32) * (queue_bytes - profile.kmin_bytes)) return;
  }
  packet.marked = true;
  sim_.links.marks(ports_[port].link());
  sim_.recorder.event(EventKind::mark, t, node_, port, cls, packet.id());
}

bool SwitchNode::busy() const {
  for (const auto& port : queues_) {
    for (const Queue& queue : port) {
      if (!queue.packets.empty()) return true;
    }
  }
  return buffers_.busy() || !arrivals.empty() || !pause_effects.empty();
}

}  // namespace heddle::oracle
