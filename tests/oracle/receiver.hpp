// The receiving end of a QP: what it takes and in which order, ACKs, NAKs, CNPs (MODEL.md, 8.5).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

class Receiver {
 public:
  struct Reaction {
    std::vector<Packet> received;  // in order: none, this packet, or it and what was placed behind it
    bool duplicate = false;
    u64 ahead = 0;             // of the expected PSN
    bool repaired = false;     // selective repeat: a duplicate, or what a NAK has requested
    bool ack = false;          // of what is expected now
    std::vector<u64> missing;  // a NAK for each
    bool cnp = false;          // created after the answers
    u64 messages_before = 0;   // messages received before this packet: the one the receiver is at
  };
  Reaction on_data(const World& world, const Packet& packet, TimePs t);
  u64 expected_psn() const { return expected_; }

 private:
  bool may_send_cnp(const World& world, TimePs t) const;
  void go_back_n(const Packet& packet, u64 psn, Reaction& reaction);
  void selective_repeat(const World& world, const Packet& packet, u64 psn, Reaction& reaction);
  void receive(const Packet& packet, Reaction& reaction);

  u64 expected_ = 0;
  bool nak_sent_ = false;  // go-back-N: for this expected PSN
  u64 counted_ = 0;        // since the last ACK or NAK
  u64 messages_ = 0;
  std::map<u64, Packet> placed_;  // selective repeat: ahead of the expected, by PSN
  u64 seen_end_ = 0;              // the PSN after the highest that has come
  TimePs last_cnp_ps_ = -1;       // -1: never
};

}  // namespace heddle::oracle
