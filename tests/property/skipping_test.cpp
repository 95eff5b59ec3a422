// Random worlds that repeat themselves: skipping changes nothing, and does skip.
#include <gtest/gtest.h>

#include <cstdlib>

#include "host/build.hpp"
#include "tests/property/repeating_world.hpp"
#include "tests/property/skipping.hpp"

namespace heddle::property {
namespace {

/// HEDDLE_SKIPPING_WORLDS: how many; heddle-skipping runs any number of them.
u64 number_of_worlds() {
  const char* given = std::getenv("HEDDLE_SKIPPING_WORLDS");
  return given == nullptr ? HEDDLE_SKIPPING_WORLDS : std::strtoull(given, nullptr, 10);
}

TEST(Skipping, ChangesNothingInRandomWorldsOfWhichManyRepeatThemselves) {
  const u64 worlds = number_of_worlds();
  u64 skipping = 0;
  for (u64 seed = 1; seed <= worlds; ++seed) {
    const std::string text = repeating_world(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const World world = build_world(load_config_text(text, "repeating"));
    const SkippingComparison result = compare_skipping(world, skipping_way(seed));
    EXPECT_EQ(result.difference, "");
    skipping += result.skipped_hops != 0;
  }
  EXPECT_GE(skipping * 5, worlds) << "too few worlds skip anything for this to say much";
}

/// Found by the first 10,000 worlds: an idle part repeated itself for ever, and the others waited for it.
TEST(Skipping, NobodyWaitsForAPartThatHasEnded) {
  constexpr u64 kSeed = 2654;
  const World world = build_world(load_config_text(repeating_world(kSeed), "repeating"));
  EXPECT_EQ(compare_skipping(world, skipping_way(kSeed)).difference, "");
}

}  // namespace
}  // namespace heddle::property
