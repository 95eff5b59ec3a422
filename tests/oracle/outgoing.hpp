// The messages of a QP, cut into packets (MODEL.md, 8.2 and 8.11).
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

class Outgoing {
 public:
  Outgoing(const World& world, QpId qp) : world_(world), qp_(qp) {}

  void append(u64 bytes, u64 tag, TimePs available);
  void post(u64 tag, TimePs available);
  /// The PSN after the last one of all messages.
  u64 end() const { return end_; }
  /// When the message of a PSN is available.
  TimePs available_ps(u64 psn) const { return message_of(psn).available_ps; }
  u32 wire_bytes(u64 psn) const;
  /// The packet with this PSN, as it leaves by a port of the NIC.
  Packet packet(u64 psn, u32 port) const;
  /// Returns the tags of the messages that end at or before `una` and did not when it was called last.
  std::vector<u64> acknowledge(u64 una);

 private:
  struct Message {
    u64 begin = 0, packets = 0;  // its PSNs are [begin, begin + packets)
    u64 bytes = 0, tag = 0;
    TimePs available_ps = 0;
  };
  const Message& message_of(u64 psn) const;
  Framing framing() const { return framing_of(world_, world_.traffic.qps[qp_].traffic_class); }

  const World& world_;
  QpId qp_;
  std::vector<Message> messages_;
  std::size_t first_unacked_ = 0;  // index in messages_
  u64 end_ = 0;
};

}  // namespace heddle::oracle
