// What an endpoint asks of the receiving end of a QP, whatever its transport.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

class ReceivingEnd {
 public:
  virtual ~ReceivingEnd() = default;

  /// An ACK or NAK to be created.
  struct Answer {
    PacketKind kind = PacketKind::ack;
    u64 psn = 0;
    bool ece = false;    // TCP: it says that data were marked
    bool dsack = false;  // TCP: this SACK names a duplicate
  };
  struct Reaction {
    std::vector<Packet> received;  // in order: none, this packet, or this packet and those placed behind it
    bool duplicate = false;
    u64 ahead = 0;                // distance from the expected PSN of a packet that came too early
    bool repaired = false;        // selective repeat: a duplicate, or a packet that a NAK has requested
    bool ack = false;             // RoCE: an ACK up to the PSN expected now
    std::vector<u64> missing;     // RoCE: each gets a NAK
    std::vector<Answer> answers;  // all ACKs and NAKs, in order of creation
    bool cnp = false;             // created after the answers
    u64 messages_before = 0;      // messages received before this packet: index of the current message
  };
  virtual Reaction on_data(const World& world, const Packet& packet, TimePs t) = 0;

  /// When a delayed ACK is due; only TCP has them.
  virtual TimePs ack_deadline() const { return kNever; }
  /// Returns the delayed ACK, which is created now.
  virtual Answer delayed_ack() { return {}; }
};

}  // namespace heddle::oracle
