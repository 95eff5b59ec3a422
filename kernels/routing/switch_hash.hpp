// Hash functions of switch chips, and the ideal hash of other fields than the five-tuple (MODEL.md, 7.2).
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/routing/crc.hpp"
#include "kernels/routing/policy.hpp"

namespace heddle {

inline constexpr u32 kUdpProtocol = 17;
inline constexpr u32 kRoceUdpPort = 4791;
inline constexpr u32 kFirstSourcePort = 0xc000;
inline constexpr u32 kFirstAddress = 0x0a000000;

HEDDLE_FN u32 source_port(const Packet& packet) { return kFirstSourcePort | packet.entropy(); }

/// The register of a switch's hash function, to which the packet's fields are added.
class HashRegister {
 public:
  HEDDLE_FN HashRegister(const View& v, const SwitchHash& own) : v_(v), own_(own), r_(own.init) {}

  /// Adds the low `bytes` bytes of `value`, the most significant byte first.
  HEDDLE_FN void add(u32 value, u32 bytes) {
    while (bytes-- > 0) add_byte(value >> (8 * bytes) & 0xff);
  }

  /// The register folded, rotated and truncated.
  HEDDLE_FN u32 value() const {
    u32 width = own_.width, h = r_ ^ own_.xor_out;
    if (own_.fold) {
      width /= 2;
      h = (h >> width ^ h) & ((1u << width) - 1);
    }
    h = static_cast<u32>((u64{h} << width | h) >> own_.offset);
    const u32 bits = own_.bits == 0 ? width : own_.bits;
    return bits == 32 ? h : h & ((1u << bits) - 1);
  }

 private:
  HEDDLE_FN void add_byte(u32 byte) {
    if (own_.table == kNoCrc) {
      r_ ^= odd_ ? byte : byte << 8;
      odd_ = !odd_;
    } else {
      r_ = crc_step(v_.crc_tables + 256 * own_.table, own_.width, own_.reflected, r_, byte);
    }
  }

  const View& v_;
  const SwitchHash& own_;
  u32 r_;
  bool odd_ = false;
};

/// The ideal hash of any fields; fields that are left out count as 0.
HEDDLE_FN u32 ideal_hash(const RouteContext& at, u32 fields) {
  const Packet& p = at.packet;
  const auto taken = [&](u32 field, u64 value) { return (fields & field) != 0 ? value : 0; };
  u64 h = at.v.ecmp_state[at.node];
  h = absorb(h, taken(kHashSrcIp, p.src()) << 32 | taken(kHashDstIp, p.dst()));
  h = absorb(h, taken(kHashIpProtocol, kUdpProtocol) << 32 | taken(kHashL4SrcPort, source_port(p)) << 16 |
                    taken(kHashL4DstPort, kRoceUdpPort));
  if ((fields & kHashDstQp) != 0) h = absorb(h, p.dst_qp());
  if ((fields & kHashInPort) != 0) h = absorb(h, at.ingress_port());
  return static_cast<u32>(h >> 32);
}

HEDDLE_FN u32 chip_hash(const RouteContext& at, const SwitchHash& own, u32 fields) {
  const Packet& p = at.packet;
  HashRegister hash(at.v, own);
  if ((fields & kHashSrcIp) != 0) hash.add(kFirstAddress + p.src(), 4);
  if ((fields & kHashDstIp) != 0) hash.add(kFirstAddress + p.dst(), 4);
  if ((fields & kHashIpProtocol) != 0) hash.add(kUdpProtocol, 1);
  if ((fields & kHashL4SrcPort) != 0) hash.add(source_port(p), 2);
  if ((fields & kHashL4DstPort) != 0) hash.add(kRoceUdpPort, 2);
  if ((fields & kHashDstQp) != 0) hash.add(p.dst_qp(), 3);
  if ((fields & kHashInPort) != 0) hash.add(at.ingress_port(), 2);
  return hash.value();
}

/// Maps the configured hash of this switch to an index below `count` (at most 2^32).
HEDDLE_FN u32 switch_hash_index(const RouteContext& at, bool with_qp, u64 count) {
  const SwitchHash& own = at.v.switch_hash[at.node];
  const u32 fields = own.fields | (with_qp ? kHashDstQp : 0);
  if (own.width == 0) return static_cast<u32>((u64{ideal_hash(at, fields)} * count) >> 32);
  return static_cast<u32>(chip_hash(at, own, fields) % count);
}

}  // namespace heddle
