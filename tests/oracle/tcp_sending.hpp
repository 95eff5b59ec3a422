// A TCP sender alone, for tests that answer it by hand.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/oracle/tcp_sender.hpp"
#include "tests/oracle/tiny_tcp.hpp"

namespace heddle::oracle {

using Psns = std::vector<u64>;

class TcpSending : public ::testing::Test {
 protected:
  void begin(u32 initial_window, TcpControl control = TcpControl::new_reno) {
    world = tcp_star(2, initial_window);
    world.tcp.control = control;
    add_tcp(world, 0, 1, {});
    sender.emplace(world, 0);
    sender->append(10'000 * kSegmentBytes, 0, 0);
  }
  /// Sends all that the window allows at `t`.
  Psns send(TimePs t = 0) {
    Psns psns;
    while (sender->ready_at() <= t) psns.push_back(sender->start(t).packet.psn);
    return psns;
  }
  void answer(PacketKind kind, u64 psn, bool ece, TimePs t) {
    Packet packet;
    packet.kind = kind;
    packet.psn = static_cast<u32>(psn & 0xffffff);
    packet.marked = ece;
    sender->acknowledge(packet, t);
  }
  void ack(u64 psn, TimePs t = 0) { answer(PacketKind::ack, psn, false, t); }
  void marked_ack(u64 psn) { answer(PacketKind::ack, psn, true, 0); }
  void sack(u64 psn, TimePs t = 0) { answer(PacketKind::nak, psn, false, t); }

  World world;
  std::optional<TcpSender> sender;
};

}  // namespace heddle::oracle
