// A packet as the oracle carries it.
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/outcome/event.hpp"

namespace heddle::oracle {

struct Packet {
  PacketKind kind = PacketKind::data;
  u32 cls = 0;
  bool marked = false;           // ECN congestion experienced
  bool last = false;             // last packet of its message; a DSACK of TCP
  u32 src = kNone, dst = kNone;  // addresses: of a port of a NIC
  u32 dst_qp = 0;                // QP number at dst
  QpId qp = kNone;               // the same QP's index in Traffic::qps
  u32 source_port = 0;
  u32 psn = 0;          // 24 bits, as on the wire
  u32 frame_bytes = 0;  // on links the gap of the fabric comes with them
  u64 message = 0;      // data: message id, or number of the slice in its connection

  u64 id() const { return packet_id(dst, dst_qp, static_cast<u32>(kind), psn); }
};

/// The 64-bit sequence number with low bits `psn24` that is nearest to `near`.
inline u64 extend_psn(u32 psn24, u64 near) {
  u32 ahead = (psn24 - static_cast<u32>(near)) & 0xffffff;
  if (ahead < 0x800000) return near + ahead;
  u32 behind = 0x1000000 - ahead;
  return near >= behind ? near - behind : near + ahead;  // numbers start at 0
}

}  // namespace heddle::oracle
