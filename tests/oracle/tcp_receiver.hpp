// The receiving end of a TCP connection: what it places, ACKs, SACKs, delayed ACKs, ECE (MODEL.md, 8.11).
#pragma once

#include <map>

#include "tests/oracle/receiving_end.hpp"

namespace heddle::oracle {

class TcpReceiver : public ReceivingEnd {
 public:
  Reaction on_data(const World& world, const Packet& packet, TimePs t) override;
  TimePs ack_deadline() const override { return pending_ > 0 ? deadline_ps_ : kNever; }
  Answer delayed_ack() override { return ack(); }

 private:
  /// An ACK of the expected segment, after which none is pending.
  Answer ack();
  void receive(const Packet& packet, Reaction& reaction);
  void receive_expected(const TcpSettings& tcp, const Packet& packet, TimePs t, Reaction& reaction);

  u64 expected_ = 0;              // e
  std::map<u64, Packet> placed_;  // segments beyond the expected one, by PSN
  u32 pending_ = 0;               // segments received in order and not acknowledged
  TimePs deadline_ps_ = 0;        // of the delayed ACK; only with pending segments
  bool ce_ = false;               // whether the last data were marked
  u64 messages_ = 0;
};

}  // namespace heddle::oracle
