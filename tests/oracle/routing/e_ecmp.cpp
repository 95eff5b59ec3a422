// The five-tuple's hash, and the destination QP.
#include "kernels/base/hash.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {

u32 choose_e_ecmp(const World& world, NodeId at, const Packet& packet) {
  std::span<const u16> ports = next_hops(world, at, packet);
  u64 where = world.routing.common_seed ? 0 : at;
  u64 ends = (u64{packet.src} << 32) | packet.dst;
  u64 udp = (u64{17} << 32) | (u64{packet.source_port} << 16) | 4791;
  u64 h = hash32(world.seed, Stream::ecmp, where, ends, udp, u64{packet.dst_qp});
  return ports[(h * ports.size()) >> 32];
}

}  // namespace heddle::oracle
