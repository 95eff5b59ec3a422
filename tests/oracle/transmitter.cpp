#include "tests/oracle/transmitter.hpp"

#include "kernels/base/units.hpp"

namespace heddle::oracle {

void Transmitter::send(const Packet& packet, TimePs t) {
  const Link& link = sim_.world.fabric.links[link_];
  sim_.recorder.event(EventKind::depart, t, link.src, link.src_port, packet.cls, packet.id());
  free_at_ps_ = t + ser_ps(packet.wire_bytes, link.ps_per_byte_q16);
  sim_.links.starts(link_, packet.wire_bytes, free_at_ps_);
  sim_.deliver(link_, packet, free_at_ps_ + link.lambda_ps);
  sim_.wake(link.src, free_at_ps_);
}

}  // namespace heddle::oracle
