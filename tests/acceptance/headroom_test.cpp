// Must show 4, end: with the headroom that `check` computes no lossless packet is ever dropped; with half of it there
// are overruns, each counted and reported, and go-back-N still delivers all data.
#include <gtest/gtest.h>

#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

u64 computed_headroom_bytes(const std::string& buffer) {
  const World world = world_of(headroom_incast(1, buffer, 0));
  return world.fabric.ingress.at(0).headroom_bytes;
}

class Headroom : public testing::TestWithParam<const char*> {};

TEST_P(Headroom, AsComputedIsNeverOverrun) {
  for (u64 seed = 1; seed <= 40; ++seed) {
    const Outcome outcome = run_engine(world_of(headroom_incast(seed, GetParam(), 0)));
    ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    EXPECT_GT(outcome.totals.pauses, 0u);
    EXPECT_EQ(outcome.totals.drops[0] + outcome.totals.drops[1] + outcome.totals.drops[2], 0u) << "seed " << seed;
    EXPECT_EQ(outcome.totals.retransmits, 0u);
  }
}

TEST_P(Headroom, HalfOfItIsOverrunAndReported) {
  const u64 half = computed_headroom_bytes(GetParam()) / 2;
  for (u64 seed = 1; seed <= 5; ++seed) {
    EngineOptions options;
    options.recorded_kinds = kinds({EventKind::drop});
    const Outcome outcome = run_engine(world_of(headroom_incast(seed, GetParam(), half)), options);
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    EXPECT_GT(outcome.totals.drops[1], 0u) << "seed " << seed;
    EXPECT_EQ(outcome.totals.drops[0] + outcome.totals.drops[2], 0u);
    EXPECT_EQ(outcome.events.size(), outcome.totals.drops[1]) << "one event each";
    for (const Event& e : outcome.events) EXPECT_EQ(e.detail, static_cast<u32>(DropCause::headroom_overrun));
    EXPECT_GT(outcome.totals.retransmits, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Headroom, testing::Values("static", "shared"),
                         [](const auto& buffer) { return std::string(buffer.param); });

}  // namespace
}  // namespace heddle::acceptance
