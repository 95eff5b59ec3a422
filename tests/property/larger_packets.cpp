#include "tests/property/larger_packets.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <vector>

#include "host/scenario/topology/headroom.hpp"
#include "kernels/state/packet.hpp"

namespace heddle::property {
namespace {

/// Limit on the packets that share an ACK, however large they are.
constexpr u32 kMaxPacketsPerAck = 8;

/// Fewer ACKs, each with the bytes of the ACKs that it replaces.
void merge_acks(RoceSettings& roce, u32 mtus) {
  const u32 every = roce.ack_every;
  roce.ack_every = std::max(every / mtus, std::min(every, kMaxPacketsPerAck));
  const u64 stands_for = u64{mtus} * roce.ack_every;  // MTUs
  roce.ack_wire_bytes = static_cast<u32>(std::max<u64>(1, (stands_for * roce.ack_wire_bytes + every / 2) / every));
}

/// A limit in packets; 0: none.
u32 shared(u32 packets, u32 mtus) { return packets == 0 ? 0 : std::max(1u, packets / mtus); }

void enlarge_transport(RoceSettings& roce, u32 mtus) {
  roce.mtu_bytes *= mtus;
  roce.data_overhead_wire_bytes *= mtus;
  merge_acks(roce, mtus);
  roce.window_packets = shared(roce.window_packets, mtus);
  if (!roce.selective()) return;
  roce.reorder_window_packets = std::max(kMinReorderWindowPackets, std::bit_floor(roce.reorder_window_packets / mtus));
  roce.reorder_distance_packets =
      std::min(shared(roce.reorder_distance_packets, mtus), roce.reorder_window_packets - 1);
}

/// [link] headroom of an account in bytes. Most links are alike.
std::vector<u64> headrooms_of(const World& world) {
  const Fabric& fabric = world.fabric;
  std::vector<u64> bytes(fabric.links.size(), 0);
  std::map<std::tuple<TimePs, TimePs, u32, u32, u32>, u64> known;
  for (LinkId l = 0; l < bytes.size(); ++l) {
    const Link& link = fabric.links[l];
    if (link.ingress == kNone) continue;
    const Link& back = fabric.links[link.reverse];
    const auto [alike, is_new] = known.try_emplace(
        {link.lambda_ps, back.phi_ps, link.ps_per_byte_q16, back.ps_per_byte_q16, fabric.nodes[link.dst].cell_bytes});
    if (is_new) alike->second = headroom_bytes(l, fabric, world.clocks);
    bytes[l] = alike->second;
  }
  return bytes;
}

/// Links share profiles: each profile grows by the largest need of its links, each pool by the sum of these.
void widen_headrooms(World& world, const std::vector<u64>& before) {
  Fabric& fabric = world.fabric;
  const std::vector<u64> after = headrooms_of(world);
  std::vector<u64> more(fabric.ingress.size(), 0);  // [profile]
  for (LinkId l = 0; l < after.size(); ++l) {
    if (fabric.links[l].ingress == kNone) continue;
    u64& most = more[fabric.links[l].ingress];
    most = std::max(most, after[l] - std::min(after[l], before[l]));
  }
  for (u32 i = 0; i < more.size(); ++i) fabric.ingress[i].headroom_bytes += static_cast<u32>(more[i]);
  const auto lossless = static_cast<u64>(
      std::count_if(fabric.classes.begin(), fabric.classes.end(), [](const TrafficClass& c) { return c.pfc; }));
  for (const Link& link : fabric.links) {
    if (link.pool != kNone && link.ingress != kNone)
      fabric.pools[link.pool].limit_bytes += lossless * more[link.ingress];
  }
}

}  // namespace

u32 max_mtus_of_packet(const World& world) {
  const RoceSettings& roce = world.roce;
  return (kMaxFrameBytes + world.fabric.wire_gap_bytes - roce.reth_bytes) /
         (roce.mtu_bytes + roce.data_overhead_wire_bytes);
}

void enlarge(World& world, u32 mtus) {
  const std::vector<u64> headrooms = headrooms_of(world);
  enlarge_transport(world.roce, mtus);
  Fabric& fabric = world.fabric;
  fabric.max_frame_bytes = std::max(fabric.max_frame_bytes, largest_wire_bytes(world) - fabric.wire_gap_bytes);
  widen_headrooms(world, headrooms);
}

}  // namespace heddle::property
