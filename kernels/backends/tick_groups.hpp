// Tick groups: nodes that a worker runs through several ticks (a tick batch) before it takes other nodes.
//
// A rack and its endpoints reach other nodes only by cables to spines, whose latency is longer than a tick. So a worker
// runs them through all ticks that this latency allows, while their state is in its core's caches. There is one barrier
// a batch, and each node receives updates of other groups once a batch.
#pragma once

#include <span>
#include <vector>

#include "kernels/instantiate/options.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// Number of nodes of some 10 KB that a core's caches hold. Larger groups evict a node's state before its next tick.
inline constexpr u32 kMaxTickGroupNodes = 320;

/// Switches, and words of View::endpoint_updates, each with its endpoints.
struct TickGroup {
  std::span<const u32> switches, words;
};

struct TickGroups {
  u32 batch_ticks = 1;                        // 1: a group is one word of endpoints, and every switch is in no group
  std::vector<u32> switches, words;           // by tick group
  std::vector<u32> first_switch, first_word;  // [groups + 1] indices into switches and words
  std::vector<u32> first_group_of_worker;     // [workers + 1] the first groups of worker w
  std::vector<u32> alone;                     // switches in no group, by worker
  std::vector<u32> first_alone;               // [workers + 1] indices into `alone`
  std::vector<u64> near_ports;                // [port words] bits of ports whose cable stays in its group

  u32 count() const { return static_cast<u32>(first_switch.size()) - 1; }
  TickGroup operator[](u32 i) const {
    return {{switches.data() + first_switch[i], switches.data() + first_switch[i + 1]},
            {words.data() + first_word[i], words.data() + first_word[i + 1]}};
  }
};

/// Divides tick groups evenly over workers, in the order of their endpoints. A lone switch goes to the worker of its
/// endpoints, which exchange most updates with it; others are shared evenly. A batch has at most
/// options.max_batch_ticks ticks, and one where groups would be too large, or too few to share (but not in tests that
/// share every tick). A word of endpoints belongs to one worker, so racks whose endpoints share words are in one group:
/// four racks of 24, 40 or 72.
TickGroups tick_groups_of(const Model& model, const EngineOptions& options, TimePs tick_ps);

}  // namespace heddle
