// The messages and collectives that a run has completed so far.
#pragma once

#include <span>
#include <vector>

#include "kernels/outcome/event.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Counts completed messages and collectives from the events of a run.
class Completed {
 public:
  explicit Completed(const World& world);

  void take(std::span<const Event> events);
  u64 messages() const { return messages_; }        // acknowledged
  u64 collectives() const { return collectives_; }  // finished by all ranks

  /// The counts for a checkpoint, and back. Throws std::out_of_range when the words are of another workload.
  std::vector<u64> words() const;
  void restore(std::span<const u64> words);

 private:
  u64 messages_ = 0, collectives_ = 0;
  std::vector<u64> ranks_left_;  // [collective]
};

}  // namespace heddle
