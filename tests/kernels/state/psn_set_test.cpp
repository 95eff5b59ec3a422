// Bitmaps of PSNs: equal to a set, for every position of the window.
#include "kernels/state/psn_set.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace heddle {
namespace {

TEST(PsnSet, IsASetOfWhatLiesWithinAWindow) {
  for (const u32 begin : {0u, 63u, 64u, 100u, 0xffffffc5u}) {
    std::array<u64, 2> words{};
    const PsnSet set(words.data(), 128);
    std::set<u32> offsets;
    for (u32 i = 0; i < 40; ++i) {
      const u32 offset = (i * 53 + 7) % 128;
      set.put(begin + offset);
      offsets.insert(offset);
    }
    for (u32 offset = 0; offset < 128; ++offset) EXPECT_EQ(set.has(begin + offset), offsets.contains(offset));
    while (!offsets.empty()) {
      EXPECT_FALSE(set.empty());
      EXPECT_EQ(set.first_from(begin) - begin, *offsets.begin()) << begin;
      set.remove(begin + *offsets.begin());
      offsets.erase(offsets.begin());
    }
    EXPECT_TRUE(set.empty());
  }
}

TEST(PsnSet, ClearsAll) {
  std::array<u64, 2> words{~u64{0}, ~u64{0}};
  PsnSet(words.data(), 128).clear();
  EXPECT_EQ(words[0] | words[1], 0u);
}

}  // namespace
}  // namespace heddle
