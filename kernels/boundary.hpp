// The cut between the part of a World that one process simulates and the parts of others: what goes over it, as words.
#pragma once

#include <span>
#include <vector>

#include "kernels/expand.hpp"

namespace heddle {

/// Packets that left by cut links travel as they lie in rings (descriptor and arrival time); pauses as they are
/// published (time they take effect). Both are collected and delivered between ticks. What is caused in one period
/// and delivered at the end of the next takes effect no earlier, because a period is at most half of every lambda and
/// phi of a cut link.
class Boundary {
 public:
  /// The model must outlive it.
  explicit Boundary(Model& model);

  std::span<const Neighbour> neighbours() const { return model_.neighbours; }

  /// Appends to `words` all that was caused for neighbour `n` since the last call. `parity` is that of the next tick.
  /// Returns when the first of it takes effect, kNever: there is nothing.
  TimePs collect(u32 n, u32 parity, std::vector<u64>& words);
  /// Takes what neighbour `n` has collected for us. Throws std::runtime_error when it is not what such a neighbour
  /// sends.
  void deliver(u32 n, u32 parity, std::span<const u64> words);
  /// Forgets packets on cut links that have arrived before `now_ps`: the other part has taken them.
  void release(u32 parity, TimePs now_ps);

 private:
  TimePs collect_packets(u32 out, u32 c, u32& shipped, std::vector<u64>& words) const;
  TimePs collect_pauses(u32 in, u32 pfc, u32 parity, u32& shipped, std::vector<u64>& words) const;
  void deliver_packets(u32 ghost, u32 c, u32 parity, std::span<const u64> words);
  void deliver_pauses(u32 out, u32 pfc, u32 parity, std::span<const u64> words);

  Model& model_;
  std::vector<std::vector<u32>> packets_shipped_;  // [neighbour][out link * classes + class] position in the ring
  std::vector<std::vector<u32>> pauses_shipped_;   // [neighbour][in link * pfc classes + index]
};

}  // namespace heddle
