#include "tests/oracle/receiver.hpp"

namespace heddle::oracle {

Receiver::Reaction Receiver::on_data(const World& world, const Packet& packet, TimePs t) {
  Reaction reaction;
  reaction.messages_before = messages_;
  u64 psn = extend_psn(packet.psn, expected_);
  if (psn > expected_) {
    if (!nak_sent_) {
      reaction.answer = PacketKind::nak;
      nak_sent_ = true;
      unacknowledged_ = 0;
    }
  } else {
    if (psn == expected_) {
      ++expected_;
      nak_sent_ = false;
      reaction.in_order = true;
      reaction.message_received = packet.last;
      if (packet.last) ++messages_;
    }
    ++unacknowledged_;
    if (packet.last || unacknowledged_ >= world.roce.ack_every) {
      reaction.answer = PacketKind::ack;
      unacknowledged_ = 0;
    }
  }
  bool gap_over = last_cnp_ps_ < 0 || t - last_cnp_ps_ >= world.dcqcn.cnp_gap_ps;
  if (packet.marked && world.dcqcn.enabled && gap_over) {
    reaction.cnp = true;
    last_cnp_ps_ = t;
  }
  return reaction;
}

}  // namespace heddle::oracle
