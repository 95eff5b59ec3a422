#include "tests/oracle/transmitter.hpp"

#include "kernels/base/units.hpp"
#include "tests/oracle/failing_links.hpp"

namespace heddle::oracle {

void Transmitter::send(const Packet& packet, TimePs t) {
  const Link& link = sim_.world.fabric.links[link_];
  sim_.recorder.event(EventKind::depart, t, link.src, link.src_port, packet.cls, packet.id());
  u32 wire_bytes = packet.frame_bytes + sim_.world.fabric.wire_gap_bytes;
  free_at_ps_ = t + ser_ps(wire_bytes, state_.ps_per_byte_q16);
  sim_.links.starts(link_, wire_bytes, free_at_ps_, state_.ps_per_byte_q16);
  TimePs due = free_at_ps_ + link.lambda_ps;
  if (auto cause = lost_on_the_way(sim_.world, link_, packet, t, due)) {
    sim_.links.loses(link_);
    sim_.recorder.event(EventKind::drop, t, link.src, link.src_port, packet.cls, packet.id(), static_cast<u32>(*cause));
  } else {
    sim_.deliver(link_, packet, due);
  }
  sim_.wake(link.src, free_at_ps_);
}

bool Transmitter::take_change(TimePs t) {
  const LinkChange* change = change_at(sim_.world, link_, t);
  if (change == nullptr) return false;
  const Link& link = sim_.world.fabric.links[link_];
  bool goes_down = up() && !change->state.up();
  state_ = change->state;
  u64 value = (u64{state_.ps_per_byte_q16} << 32) | (state_.loss_q64 >> 32);
  sim_.recorder.event(EventKind::failure, t, link.src, link.src_port, 0, value);
  for (u32 c = 0; goes_down && c < kMaxClasses; ++c) set_paused(c, false, t);
  return goes_down;
}

}  // namespace heddle::oracle
