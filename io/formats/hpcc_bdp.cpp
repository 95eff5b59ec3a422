#include "io/formats/hpcc_bdp.hpp"

#include <algorithm>

namespace heddle {
namespace {

constexpr u64 kBitsPerByte = 8, kNsPerS = 1'000'000'000;

}  // namespace

HpccBdp::HpccBdp(const PlainTopology& topology, u64 payload_bytes)
    : is_switch_(topology.nodes), neighbours_(topology.nodes), like_(topology.nodes) {
  for (const u32 id : topology.switches) is_switch_[id] = true;
  for (const PlainLink& link : topology.links) {
    const u64 delay_ns = static_cast<u64>(link.latency_ps) / 1000;
    const u64 packet_ns = payload_bytes * kNsPerS * kBitsPerByte / link.bits_per_s;
    neighbours_[link.a].push_back({link.b, delay_ns, packet_ns, link.bits_per_s});
    neighbours_[link.b].push_back({link.a, delay_ns, packet_ns, link.bits_per_s});
  }
  std::map<Neighbour, u32> first;
  for (u32 node = 0; node < topology.nodes; ++node) {
    std::vector<Neighbour>& of_node = neighbours_[node];
    std::ranges::sort(of_node);
    like_[node] = is_switch_[node] || of_node.size() != 1 ? node : first.try_emplace(of_node[0], node).first->second;
  }
}

/// Breadth first; packets do not go through hosts.
const std::vector<HpccBdp::Reach>& HpccBdp::search_from(u32 host) {
  const auto [place, is_new] = searched_.try_emplace(host);
  std::vector<Reach>& reached = place->second;
  if (!is_new) return reached;
  reached.resize(neighbours_.size());
  reached[host] = {0, 0, 0, ~u64{0}};
  std::vector<u32> queue = {host};
  for (size_t i = 0; i < queue.size(); ++i) {
    const Reach now = reached[queue[i]];
    for (const Neighbour& n : neighbours_[queue[i]]) {
      const Reach there = {now.hops + 1, now.delay_ns + n.delay_ns, now.packets_ns + n.packet_ns,
                           std::min(now.bits_per_s, n.bits_per_s)};
      Reach& known = reached[n.node];
      if (known.hops == kNone) {
        known = there;
        if (is_switch_[n.node]) queue.push_back(n.node);
      } else if (known.hops == there.hops && known != there) {
        ambiguous_ = true;
      }
    }
  }
  return reached;
}

u64 HpccBdp::bytes_of(const Reach& reach) {
  if (reach.hops == kNone || reach.hops == 0) return 0;
  const u64 rtt_ns = 2 * reach.delay_ns + reach.packets_ns;
  const auto bits = static_cast<unsigned __int128>(rtt_ns) * reach.bits_per_s;
  const auto bytes = bits / kNsPerS / kBitsPerByte;
  return bits > ~u64{0} || bytes > 0xffffffff ? kTooLarge : static_cast<u64>(bytes);
}

/// Hosts that hang on a switch alike reach all others alike, and each other; so one search does for all of them.
u64 HpccBdp::of_pair(u32 src, u32 dst) {
  const u32 from = like_[dst];
  const u32 to = src == from ? dst : src;
  return bytes_of(search_from(from)[to]);
}

u64 HpccBdp::largest() {
  u64 most = 0;
  for (u32 host = 0; host < like_.size(); ++host) {
    if (is_switch_[host] || like_[host] != host) continue;
    const std::vector<Reach>& reached = search_from(host);
    for (u32 other = 0; other < reached.size(); ++other) {
      if (!is_switch_[other]) most = std::max(most, bytes_of(reached[other]));
    }
    searched_.erase(host);
  }
  return most;
}

}  // namespace heddle
