// The receiving end of a QP with RoCE: which packets it takes and in which order, ACKs, NAKs, CNPs (MODEL.md, 8.5).
#pragma once

#include <map>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"
#include "tests/oracle/receiving_end.hpp"

namespace heddle::oracle {

class Receiver : public ReceivingEnd {
 public:
  Reaction on_data(const World& world, const Packet& packet, TimePs t) override;
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
