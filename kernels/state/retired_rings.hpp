// Rings retired in a tick, or tick batch, may be reused in the next one: after the barrier they move to the stacks of
// free rings.
#pragma once

#include "kernels/state/ring.hpp"

namespace heddle {

/// Number of free rings of a size, and number of retired rings that fit their stack. A free count may be negative: each
/// worker that found no ring took memory from the top and left the count decremented.
struct RingStacks {
  u32 free, moved;

  HEDDLE_FN RingStacks(const RingPool& pool, u32 size_class) {
    const i32 left = pool.free_count[size_class], retired = pool.retired_count[size_class];
    free = left > 0 ? static_cast<u32>(left) : 0;
    moved = static_cast<u32>(retired) < kFreeStackEntries ? static_cast<u32>(retired) : kFreeStackEntries;
    if (moved > kFreeStackEntries - free) moved = kFreeStackEntries - free;
  }
};

/// Whether this tick has left anything to merge.
HEDDLE_FN bool any_retired(const RingPool& pool, u32 size_class) {
  return pool.retired_count[size_class] != 0 || pool.free_count[size_class] < 0;
}
HEDDLE_FN bool any_retired(const RingPool& pool) {
  for (u32 c = 0; c < kRingClasses; ++c) {
    if (any_retired(pool, c)) return true;
  }
  return false;
}

/// Call after the barrier, once, by one team. `first` is scratch of kRingClasses + 1 words that the team shares.
template <class Team>
HEDDLE_FN void merge_retired_rings(const Team& team, const RingPool& pool, u32* first) {
  team.each(kRingClasses, [&](u32 c) { first[c] = RingStacks(pool, c).moved; });
  team.scan(first, kRingClasses);
  const auto stacks_of = [&](u32 c) {
    const u64 base = static_cast<u64>(c) * kFreeStackEntries;
    struct Move {
      const u32* from;
      u32* to;
    };
    return Move{pool.retired_base + base, pool.free_base + base + RingStacks(pool, c).free};
  };
  team.items(first, kRingClasses, stacks_of, [](const auto& move, u32 i, u32) { move.to[i] = move.from[i]; });
  team.each(kRingClasses, [&](u32 c) {
    const RingStacks stacks(pool, c);
    pool.free_count[c] = static_cast<i32>(stacks.free + stacks.moved);
    pool.retired_count[c] = 0;
  });
}

}  // namespace heddle
