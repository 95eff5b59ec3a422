// Bandwidth-delay products of pairs of hosts, the windows of HPCC's NICs (HAS_WIN).
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "io/formats/plain.hpp"

namespace heddle {

/// Bandwidth-delay products as HPCC's main program (scratch/third.cc) computes them: the delays of a shortest path
/// there and back, a packet's payload on each of its links, all cut to nanoseconds, times the rate of the slowest link.
/// Where several shortest paths differ it takes the one that its search finds first: here the one by nodes of least
/// numbers, there by where nodes lie in its memory.
class HpccBdp {
 public:
  HpccBdp(const PlainTopology& topology, u64 payload_bytes);

  /// kTooLarge: more than HPCC's 32 bits hold.
  static constexpr u64 kTooLarge = ~u64{0};
  /// From the host `src` to the host `dst`, in bytes.
  u64 of_pair(u32 src, u32 dst);
  /// The largest of all pairs of hosts.
  u64 largest();
  /// Whether some shortest path differs from another one of its pair, among those that were looked at.
  bool is_ambiguous() const { return ambiguous_; }

 private:
  /// What a search from a host knows of a node.
  struct Reach {
    u32 hops = kNone;
    u64 delay_ns = 0, packets_ns = 0, bits_per_s = 0;
    bool operator==(const Reach&) const = default;
  };
  struct Neighbour {
    u32 node = 0;
    u64 delay_ns = 0, packet_ns = 0, bits_per_s = 0;
    auto operator<=>(const Neighbour&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is of <=>
  };
  const std::vector<Reach>& search_from(u32 host);
  static u64 bytes_of(const Reach& reach);

  std::vector<bool> is_switch_;
  std::vector<std::vector<Neighbour>> neighbours_;  // [node], by number
  std::vector<u32> like_;                           // [node] -> the first host that hangs on the same switch alike
  std::map<u32, std::vector<Reach>> searched_;      // from such hosts
  bool ambiguous_ = false;
};

}  // namespace heddle
