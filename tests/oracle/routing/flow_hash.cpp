#include "tests/oracle/routing/flow_hash.hpp"

#include <stdexcept>

#include "kernels/base/hash.hpp"

namespace heddle::oracle {
namespace {

struct FieldValue {
  u32 field;
  u64 value;
  u32 bytes;
};

/// Returns the fields in the order in which chips hash them.
std::vector<FieldValue> fields_of(const RouteContext& context, bool with_qp) {
  const std::vector<FieldValue> all = {{kHashSrcIp, (u64{10} << 24) + context.packet.src, 4},
                                       {kHashDstIp, (u64{10} << 24) + context.packet.dst, 4},
                                       {kHashIpProtocol, 17, 1},
                                       {kHashL4SrcPort, context.packet.source_port, 2},
                                       {kHashL4DstPort, 4791, 2},
                                       {kHashDstQp, context.packet.dst_qp, 3},
                                       {kHashInPort, context.ingress_port, 2}};
  std::vector<FieldValue> taken;
  for (const FieldValue& f : all) {
    if ((context.world.routing.hash.fields & f.field) != 0 || (with_qp && f.field == kHashDstQp)) taken.push_back(f);
  }
  return taken;
}

u64 ideal(const RouteContext& context, u64 where, bool with_qp) {
  u64 src = 0, dst = 0, protocol = 0, l4_src = 0, l4_dst = 0;
  std::vector<u64> more;
  for (const FieldValue& f : fields_of(context, with_qp)) {
    if (f.field == kHashSrcIp) src = context.packet.src;
    if (f.field == kHashDstIp) dst = context.packet.dst;
    if (f.field == kHashIpProtocol) protocol = f.value;
    if (f.field == kHashL4SrcPort) l4_src = f.value;
    if (f.field == kHashL4DstPort) l4_dst = f.value;
    if (f.field == kHashDstQp || f.field == kHashInPort) more.push_back(f.value);
  }
  u64 h =
      hash64(context.world.seed, Stream::ecmp, where, (src << 32) | dst, (protocol << 32) | (l4_src << 16) | l4_dst);
  for (u64 word : more) h = absorb(h, word);
  return h >> 32;
}

u64 of_chip(const RouteContext& context, const TierHash& settings, u32 seed, bool with_qp) {
  std::vector<u8> key;
  for (const FieldValue& f : fields_of(context, with_qp)) {
    for (u32 i = f.bytes; i > 0; --i) key.push_back(static_cast<u8>(f.value >> (8 * (i - 1))));
  }
  const bool is_xor = settings.function == HashFunction::xor16;
  u64 h = is_xor ? xor16(key, seed) : crc(crc_of(settings.function), key, seed);
  u32 width = is_xor ? 16 : crc_of(settings.function).width;
  if (settings.fold) {
    width /= 2;
    h = (h >> width) ^ (h % (u64{1} << width));
  }
  for (u32 i = 0; i < settings.offset; ++i) h = (h >> 1) | ((h & 1) << (width - 1));
  return settings.bits == 0 ? h : h % (u64{1} << settings.bits);
}

u32 reflected(u32 value, u32 bits) {
  u32 out = 0;
  for (u32 i = 0; i < bits; ++i) out |= ((value >> i) & 1) << (bits - 1 - i);
  return out;
}

}  // namespace

Crc crc_of(HashFunction function) {
  switch (function) {
    case HashFunction::crc16:
      return {16, 0x8005, 0x0000, true, true, 0x0000};
    case HashFunction::crc16_ccitt:
      return {16, 0x1021, 0xffff, false, false, 0x0000};
    case HashFunction::crc32:
      return {32, 0x04c11db7, 0xffffffff, true, true, 0xffffffff};
    case HashFunction::crc32c:
      return {32, 0x1edc6f41, 0xffffffff, true, true, 0xffffffff};
    default:
      throw std::invalid_argument("the oracle does not know this hash function; write it in tests/oracle/routing");
  }
}

/// The seed's bits are those of the register in a catalogue's `init` where nothing is reflected; where bytes are
/// reflected, a chip's register, and so the seed, is reversed.
u32 crc(const Crc& crc, const std::vector<u8>& bytes, u32 seed) {
  const u32 top = 1u << (crc.width - 1), mask = top | (top - 1);
  u32 r = crc.init ^ (crc.reflect_in ? reflected(seed & mask, crc.width) : seed & mask);
  for (u8 byte : bytes) {
    const u32 in = crc.reflect_in ? reflected(byte, 8) : byte;
    for (u32 bit = 8; bit > 0; --bit) {
      const bool out = ((r & top) != 0) != ((in >> (bit - 1) & 1) != 0);
      r = (r << 1) & mask;
      if (out) r ^= crc.polynomial;
    }
  }
  return (crc.reflect_out ? reflected(r, crc.width) : r) ^ crc.xor_out;
}

u32 xor16(const std::vector<u8>& bytes, u32 seed) {
  u32 h = seed & 0xffff;
  for (size_t i = 0; i < bytes.size(); ++i) h ^= i % 2 == 0 ? u32{bytes[i]} << 8 : u32{bytes[i]};
  return h;
}

u64 RouteContext::flow_index(bool with_qp, u64 count) const {
  const Tier tier = world.fabric.nodes[at].tier;
  u64 where = 0;
  if (world.routing.hash.seed == HashSeed::per_tier) where = static_cast<u64>(tier);
  if (world.routing.hash.seed == HashSeed::per_switch) where = at;
  const TierHash& settings = world.routing.hash.of_tier[static_cast<u32>(tier)];
  if (settings.function == HashFunction::ideal) return (ideal(*this, where, with_qp) * count) >> 32;
  return of_chip(*this, settings, hash32(world.seed, Stream::ecmp, where), with_qp) % count;
}

}  // namespace heddle::oracle
