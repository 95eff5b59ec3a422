#include "tests/oracle/outgoing.hpp"

#include <algorithm>

namespace heddle::oracle {

void Outgoing::append(u64 bytes, u64 tag, TimePs available) {
  const u64 payload = framing().payload_bytes;
  const u64 packets = std::max<u64>((bytes + payload - 1) / payload, 1);  // one if empty
  messages_.push_back({end_, packets, bytes, tag, available});
  end_ += packets;
}

void Outgoing::post(u64 tag, TimePs available) {
  for (Message& message : messages_) {
    if (message.tag == tag) message.available_ps = available;
  }
}

const Outgoing::Message& Outgoing::message_of(u64 psn) const {
  auto after = std::upper_bound(messages_.begin(), messages_.end(), psn,
                                [](u64 value, const Message& m) { return value < m.begin; });
  return *(after - 1);
}

u32 Outgoing::wire_bytes(u64 psn) const {
  const Message& message = message_of(psn);
  const Framing frame = framing();
  const u64 rest = message.bytes - (psn - message.begin) * frame.payload_bytes;
  const u32 payload = static_cast<u32>(std::min<u64>(frame.payload_bytes, rest));
  return payload + frame.overhead_wire_bytes + (psn == message.begin ? frame.first_bytes : 0);
}

Packet Outgoing::packet(u64 psn, u32 port) const {
  const Qp& qp = world_.traffic.qps[qp_];
  const Message& message = message_of(psn);
  Packet p;
  p.kind = PacketKind::data;
  p.cls = qp.traffic_class;
  p.last = psn + 1 == message.begin + message.packets;
  p.src = address_of(world_.fabric, qp.src, port);
  p.dst = address_of(world_.fabric, qp.dst, port);
  p.dst_qp = qp.receiver_number;
  p.qp = qp_;
  p.source_port = 0xC000u | qp.source_port_entropy;
  p.psn = static_cast<u32>(psn & 0xffffff);
  p.frame_bytes = wire_bytes(psn) - world_.fabric.wire_gap_bytes;
  p.message = message.tag;
  return p;
}

std::vector<u64> Outgoing::acknowledge(u64 una) {
  std::vector<u64> done;
  for (; first_unacked_ < messages_.size(); ++first_unacked_) {
    const Message& m = messages_[first_unacked_];
    if (m.begin + m.packets > una) break;
    done.push_back(m.tag);
  }
  return done;
}

}  // namespace heddle::oracle
