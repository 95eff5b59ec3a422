#include "tests/oracle/receiver.hpp"

#include <algorithm>
#include <set>

#include "tests/oracle/congestion/controls.hpp"

namespace heddle::oracle {

ReceivingEnd::Reaction Receiver::on_data(const World& world, const Packet& packet, TimePs t) {
  Reaction reaction;
  reaction.messages_before = messages_;
  u64 psn = extend_psn(packet.psn, expected_);
  reaction.duplicate = psn < expected_;
  if (psn > expected_) reaction.ahead = psn - expected_;
  if (world.roce.recovery == Recovery::go_back_n) {
    go_back_n(packet, psn, reaction);
  } else {
    selective_repeat(world, packet, psn, reaction);
  }
  counted_ += reaction.received.size() + reaction.duplicate;
  bool message_ends = reaction.duplicate && packet.last;
  for (const Packet& received : reaction.received) message_ends |= received.last;
  reaction.ack = message_ends || reaction.repaired || counted_ >= world.roce.ack_every;
  if (reaction.ack) counted_ = 0;
  for (u64 missing : reaction.missing) reaction.answers.push_back({PacketKind::nak, missing});
  if (reaction.ack) reaction.answers.push_back({PacketKind::ack, expected_});
  if (packet.marked && may_send_cnp(world, t)) {
    reaction.cnp = true;
    last_cnp_ps_ = t;
  }
  return reaction;
}

bool Receiver::may_send_cnp(const World& world, TimePs t) const {
  TimePs gap_ps = cnp_gap_ps(world.congestion);
  return gap_ps < kNever && (last_cnp_ps_ < 0 || t - last_cnp_ps_ >= gap_ps);
}

void Receiver::receive(const Packet& packet, Reaction& reaction) {
  ++expected_;
  messages_ += packet.last;
  reaction.received.push_back(packet);
}

void Receiver::go_back_n(const Packet& packet, u64 psn, Reaction& reaction) {
  if (psn == expected_) {
    receive(packet, reaction);
    nak_sent_ = false;
  } else if (psn > expected_ && !nak_sent_) {
    reaction.missing.push_back(expected_);
    nak_sent_ = true;
    counted_ = 0;
  }
}

void Receiver::selective_repeat(const World& world, const Packet& packet, u64 psn, Reaction& reaction) {
  reaction.duplicate |= placed_.count(psn) != 0;
  if (reaction.duplicate) {
    reaction.ahead = 0;
    reaction.repaired = true;
    return;
  }
  const u64 distance = world.roce.reorder_distance_packets, window = world.roce.reorder_window_packets;
  reaction.repaired = psn == expected_ && seen_end_ > psn + distance;
  const u64 seen_before = seen_end_;
  seen_end_ = std::max(seen_end_, psn + 1);
  placed_.emplace(psn, packet);
  for (auto next = placed_.find(expected_); next != placed_.end(); next = placed_.find(expected_)) {
    receive(next->second, reaction);
    placed_.erase(next);
  }
  std::set<u64> requested;  // lowest first
  for (u64 m = expected_; m < seen_end_; ++m) {
    if (placed_.count(m) != 0) continue;
    const auto falls_behind = [&](u64 d) { return m + d < seen_end_ && m + d >= seen_before; };
    if (falls_behind(distance) || (distance + window / 2 < window && falls_behind(distance + window / 2)))
      requested.insert(m);
  }
  reaction.missing.assign(requested.begin(), requested.end());
}

}  // namespace heddle::oracle
