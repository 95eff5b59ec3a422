// Random worlds that repeat themselves: skipping changes nothing, and does skip.
#include <gtest/gtest.h>

#include <cstdlib>

#include "host/build.hpp"
#include "tests/property/repeating_world.hpp"
#include "tests/property/skipping.hpp"

namespace heddle::property {
namespace {

u64 number_of_worlds() {
  const char* given = std::getenv("HEDDLE_SKIPPING_WORLDS");
  return given == nullptr ? 40 : std::strtoull(given, nullptr, 10);
}

u64 first_seed() {
  const char* given = std::getenv("HEDDLE_SKIPPING_FIRST_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

TEST(Skipping, ChangesNothingInRandomWorldsOfWhichManyRepeatThemselves) {
  const u64 worlds = number_of_worlds();
  u64 skipping = 0;
  for (u64 seed = first_seed(); seed < first_seed() + worlds; ++seed) {
    const std::string text = repeating_world(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const World world = build_world(load_config_text(text, "repeating"));
    const SkippingComparison result = compare_skipping(world, skipping_options(seed), seed % 3 == 0);
    EXPECT_EQ(result.difference, "");
    skipping += result.skipped_hops != 0;
    if (std::getenv("HEDDLE_SKIPPING_VERBOSE") != nullptr)
      std::printf("seed %lu: %lu hops, %lu skipped\n", seed, result.packet_hops, result.skipped_hops);
  }
  EXPECT_GE(skipping * 5, worlds) << "too few worlds skip anything for this to say much";
}

}  // namespace
}  // namespace heddle::property
