// The self-contained packet descriptor: 16 bytes from which every switch can route without a lookup of flows.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"
#include "kernels/outcome/event.hpp"

namespace heddle {

/// Source and destination are addresses (MODEL.md, 2.1). Widths in bits: destination 20, source-port entropy 12 |
/// source 20, ingress port 12 | frame bytes 17, upper half of the destination QP 8, last 1, ECN 1, kind 3, class 2 |
/// PSN 24, lower half of the destination QP 8.
struct alignas(16) Packet {
  u32 w0, w1, w2, w3;

  HEDDLE_FN u32 dst() const { return w0 & 0xfffff; }
  HEDDLE_FN u32 entropy() const { return w0 >> 20; }
  HEDDLE_FN u32 src() const { return w1 & 0xfffff; }
  HEDDLE_FN u32 ingress_port() const { return w1 >> 20; }
  HEDDLE_FN u32 frame_bytes() const { return w2 & 0x1ffff; }
  HEDDLE_FN u32 wire_bytes(u32 gap_bytes) const { return frame_bytes() + gap_bytes; }
  HEDDLE_FN u32 dst_qp() const { return ((w2 >> 9) & 0xff00) | (w3 >> 24); }
  HEDDLE_FN bool last() const { return (w2 >> 25) & 1; }
  HEDDLE_FN bool ecn() const { return (w2 >> 26) & 1; }
  HEDDLE_FN PacketKind kind() const { return static_cast<PacketKind>((w2 >> 27) & 7); }
  HEDDLE_FN u32 traffic_class() const { return w2 >> 30; }
  HEDDLE_FN u32 psn() const { return w3 & 0xffffff; }
  HEDDLE_FN void set_ingress_port(u32 port) { w1 = (w1 & 0xfffff) | (port << 20); }
  HEDDLE_FN void set_traffic_class(u32 c) { w2 = (w2 & 0x3fffffff) | (c << 30); }
  HEDDLE_FN void set_ecn() { w2 |= 1u << 26; }
  HEDDLE_FN u64 id() const { return packet_id(dst(), dst_qp(), (w2 >> 27) & 7, psn()); }
};

inline constexpr u32 kMaxFrameBytes = (1u << 17) - 1;
inline constexpr u32 kMaxAddresses = 1u << 20;
inline constexpr u32 kMaxPorts = 1u << 12;
inline constexpr u32 kMaxQpsPerEndpoint = 1u << 16;

struct PacketFields {
  u32 dst, dst_qp, src, entropy, psn, frame_bytes, traffic_class;
  PacketKind kind;
  bool last;
};

HEDDLE_FN Packet make_packet(const PacketFields& f) {
  Packet p;
  p.w0 = f.dst | (f.entropy << 20);
  p.w1 = f.src;
  p.w2 = f.frame_bytes | (f.dst_qp >> 8) << 17 | static_cast<u32>(f.last) << 25 | static_cast<u32>(f.kind) << 27 |
         f.traffic_class << 30;
  p.w3 = (f.psn & 0xffffff) | f.dst_qp << 24;
  return p;
}

/// A packet's words in digests, independent of the layout of its descriptor.
struct PacketDigestWords {
  u64 front, back;
};

HEDDLE_FN PacketDigestWords digest_words(const Packet& p) {
  const u32 frame = p.frame_bytes(), above = frame >> 14;  // `above` is 0 for frames below 16 KiB
  const u32 upper = p.dst_qp() | (frame & 0x3fff) << 16 | p.traffic_class() << 30;
  const u32 lower = p.psn() | static_cast<u32>(p.kind()) << 24 | (above >> 2) << 27 | static_cast<u32>(p.ecn()) << 28 |
                    static_cast<u32>(p.last()) << 29 | (above & 3) << 30;
  return {static_cast<u64>(p.w0) << 32 | p.w1, static_cast<u64>(upper) << 32 | lower};
}

/// The full number nearest to `near` whose low 24 bits are `low24` (PSNs travel as 24 bits).
HEDDLE_FN u32 extend24(u32 low24, u32 near) {
  const u32 diff = (low24 - near) & 0xffffff;
  return near + diff - ((diff & 0x800000) ? 0x1000000 : 0);
}

}  // namespace heddle
