// On random worlds the engine gives the oracle's result, in every variant that must not matter. HEDDLE_WORLDS: number
// of worlds (2000; 500 in checked and sanitized builds); HEDDLE_FIRST_SEED: the first seed (1).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/property/examine.hpp"

namespace heddle::property {
namespace {

/// The worlds are divided into this many parts, which may run at the same time.
constexpr u64 kShards = 8;

u64 environment(const char* name, u64 otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

class EngineEqualsOracle : public testing::TestWithParam<u64> {};

TEST_P(EngineEqualsOracle, Shard) {
  const u64 first = environment("HEDDLE_FIRST_SEED", 1), worlds = environment("HEDDLE_WORLDS", HEDDLE_PROPERTY_WORLDS);
  Examination how;
  Coverage coverage;
  for (u64 i = GetParam(); i < worlds; i += kShards) {
    const u64 seed = first + i;
    const Finding finding = examine(case_of_seed(seed), variants_of_seed(seed), how, &coverage);
    if (finding.verdict == Verdict::equal) continue;
    ADD_FAILURE() << finding.text;
    how.shrink_limit = std::chrono::seconds(0);  // one small world is enough at first
  }
  if (coverage.worlds == 0 && !HasFailure()) GTEST_SKIP() << "fewer worlds than shards";
  std::printf("%s\n", coverage.line().c_str());
}

INSTANTIATE_TEST_SUITE_P(Worlds, EngineEqualsOracle, testing::Range<u64>(0, kShards));

/// Digests are sums of hashes; this test compares the events themselves, one by one.
TEST(EngineEqualsOracleByEvent, EveryEvent) {
  u64 events = 0;
  for (u64 seed = 1; seed <= 30; ++seed) {
    const World world = build(case_of_seed(seed));
    EXPECT_EQ(Comparison(world).check_every_event(variant(variants_of_seed(seed)[1]), &events), "") << "seed " << seed;
  }
  EXPECT_GT(events, 10'000u);
}

TEST(Variants, AllAreHitOften) {
  constexpr u64 kWorlds = 2000;
  std::vector<u64> hits(kVariants, 0);
  u64 two_threads = 0, shuffled = 0, serial = 0;
  for (u64 seed = 1; seed <= kWorlds; ++seed) {
    for (u64 index : variants_of_seed(seed)) {
      const EngineOptions options = variant(index).options;
      ++hits[index];
      two_threads += options.threads == 2;
      ++(options.shuffled ? shuffled : serial);
    }
  }
  for (u64 index = 0; index < kVariants; ++index) EXPECT_GE(hits[index], kWorlds / 15) << variant(index).name;
  EXPECT_GE(two_threads, kWorlds / 8);
  EXPECT_GE(shuffled, kWorlds * 4 / 10);
  EXPECT_GE(serial, kWorlds);
}

}  // namespace
}  // namespace heddle::property
