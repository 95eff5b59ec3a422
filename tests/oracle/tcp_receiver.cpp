#include "tests/oracle/tcp_receiver.hpp"

namespace heddle::oracle {

ReceivingEnd::Answer TcpReceiver::ack() {
  pending_ = 0;
  return {PacketKind::ack, expected_, ce_};
}

void TcpReceiver::receive(const Packet& packet, Reaction& reaction) {
  ++expected_;
  messages_ += packet.last;
  reaction.received.push_back(packet);
}

ReceivingEnd::Reaction TcpReceiver::on_data(const World& world, const Packet& packet, TimePs t) {
  Reaction reaction;
  reaction.messages_before = messages_;
  const u64 psn = extend_psn(packet.psn, expected_);
  if (ce_ != packet.marked) {
    if (pending_ > 0) reaction.answers.push_back(ack());  // it still says what was so until now
    ce_ = packet.marked;
  }
  if (psn < expected_ || placed_.count(psn) != 0) {
    reaction.duplicate = true;
    reaction.answers.push_back(ack());
    if (world.tcp.loss_detection == TcpLossDetection::rack)
      reaction.answers.push_back({PacketKind::nak, psn, ce_, true});
  } else if (psn > expected_) {
    reaction.ahead = psn - expected_;
    placed_.emplace(psn, packet);
    if (pending_ > 0) reaction.answers.push_back(ack());
    reaction.answers.push_back({PacketKind::nak, psn, ce_});  // a SACK
  } else {
    receive_expected(world.tcp, packet, t, reaction);
  }
  return reaction;
}

/// Takes the segment that is expected, and all that is placed behind it.
void TcpReceiver::receive_expected(const TcpSettings& tcp, const Packet& packet, TimePs t, Reaction& reaction) {
  const bool any_was_placed = !placed_.empty();
  receive(packet, reaction);
  for (auto next = placed_.find(expected_); next != placed_.end(); next = placed_.find(expected_)) {
    receive(next->second, reaction);
    placed_.erase(next);
  }
  if (any_was_placed) {
    reaction.answers.push_back(ack());
    return;
  }
  ++pending_;
  if (pending_ == 1) deadline_ps_ = t + tcp.ack_delay_ps;
  if (pending_ >= tcp.ack_every_segments || packet.last) reaction.answers.push_back(ack());
}

}  // namespace heddle::oracle
