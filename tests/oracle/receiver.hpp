// The receiving end of a QP: in order only, coalesced ACKs, one NAK per gap, CNPs (MODEL.md, 8.5).
#pragma once

#include <optional>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

class Receiver {
 public:
  struct Reaction {
    bool in_order = false;
    bool message_received = false;
    std::optional<PacketKind> answer;  // ack or nak
    bool cnp = false;                  // created after the answer
    u64 messages_before = 0;           // messages received before this packet: the one the receiver is at
  };
  Reaction on_data(const World& world, const Packet& packet, TimePs t);
  /// The PSN field of its ACKs and NAKs.
  u32 expected_psn() const { return static_cast<u32>(expected_ & 0xffffff); }

 private:
  u64 expected_ = 0;
  bool nak_sent_ = false;   // for this expected PSN
  u32 unacknowledged_ = 0;  // packets since the last ACK or NAK
  u64 messages_ = 0;
  TimePs last_cnp_ps_ = -1;  // -1: never
};

}  // namespace heddle::oracle
