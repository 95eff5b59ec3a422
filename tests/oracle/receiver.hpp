// The receiving end of a QP: which packets it takes and in which order, ACKs, NAKs, CNPs (MODEL.md, 8.5).
#pragma once

#include <map>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

class Receiver {
 public:
  struct Reaction {
    std::vector<Packet> received;  // in order: none, this packet, or this packet and those placed behind it
    bool duplicate = false;
    u64 ahead = 0;             // distance from the expected PSN
    bool repaired = false;     // selective repeat: a duplicate, or a packet that a NAK has requested
    bool ack = false;          // an ACK up to the PSN expected now
    std::vector<u64> missing;  // each gets a NAK
    bool cnp = false;          // created after the answers
    u64 messages_before = 0;   // messages received before this packet: index of the current message
  };
  Reaction on_data(const World& world, const Packet& packet, TimePs t);
  u64 expected_psn() const { return expected_; }

 private:
  bool may_send_cnp(const World& world, TimePs t) const;
  void go_back_n(const Packet& packet, u64 psn, Reaction& reaction);
  void selective_repeat(const World& world, const Packet& packet, u64 psn, Reaction& reaction);
  void receive(const Packet& packet, Reaction& reaction);

  u64 expected_ = 0;
  bool nak_sent_ = false;  // go-back-N: a NAK for this expected PSN was sent
  u64 counted_ = 0;        // packets since the last ACK or NAK
  u64 messages_ = 0;
  std::map<u64, Packet> placed_;  // selective repeat: packets ahead of the expected PSN, by PSN
  u64 seen_end_ = 0;              // the PSN after the highest that has arrived
  TimePs last_cnp_ps_ = -1;       // -1: never
};

}  // namespace heddle::oracle
