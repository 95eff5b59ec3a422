// The result digest covers what was simulated, whether or not anything was completed.
#include <gtest/gtest.h>

#include "kernels/engine/engine.hpp"
#include "kernels/outcome/conclusion.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

/// Two senders to one receiver, cut long before anything is completed, marked, paused or dropped.
World unfinished(TimePs horizon_ps) {
  World world = oracle::star(3);
  for (EndpointId src = 1; src < 3; ++src) oracle::add_qp(world, src, 0, {{10'000'000, 0}});
  world.clocks.horizon_ps = horizon_ps;
  return world;
}

Outcome run(const World& world, const EngineOptions& options = {}) {
  Engine engine(world, options);
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

TEST(ResultDigest, TellsUnfinishedRunsApart) {
  const Outcome one = run(unfinished(20'000'000)), two = run(unfinished(40'000'000));
  ASSERT_EQ(one.reason, EndReason::horizon);
  ASSERT_EQ(one.event_digest, two.event_digest) << "no event tells them apart";
  EXPECT_NE(one.digest, 0u);
  EXPECT_NE(one.digest, two.digest);
}

TEST(ResultDigest, CoversWhatHappenedAndNotWhatIsStillToBeSent) {
  const World world = unfinished(20'000'000);
  World less = world, later = world;
  less.traffic.messages[1].bytes = 5'000'000;  // a change that the run has not noticed yet
  later.traffic.messages[1].post_ps = 1;
  const Outcome one = run(world), two = run(less), three = run(later);
  ASSERT_EQ(one.totals.packet_hops, three.totals.packet_hops);
  EXPECT_EQ(one.digest, two.digest);
  EXPECT_NE(one.digest, three.digest) << "a picosecond later";
}

TEST(ResultDigest, IsTheSameForEveryWayToRunIt) {
  for (const TimePs horizon_ps : {TimePs{20'000'123}, kNever}) {
    const World world = unfinished(horizon_ps);
    const u64 digest = run(world).digest;
    EXPECT_EQ(run(world, {.threads = 2, .sharing_from_nodes = 0}).digest, digest);
    EXPECT_EQ(run(world, {.shuffled = true, .shuffle_seed = 3}).digest, digest);
    EXPECT_EQ(run(world, {.numbering_seed = 5}).digest, digest);
    World finer = world;
    finer.clocks.tick_ps /= 4;
    EXPECT_EQ(run(finer).digest, digest);
  }
}

TEST(ResultDigest, CoversReasonEndSumsEventsAndState) {
  const Outcome base;
  const u64 digest = result_digest(base, 1);
  EXPECT_NE(result_digest(base, 2), digest);
  Outcome other = base;
  other.reason = EndReason::horizon;
  EXPECT_NE(result_digest(other, 1), digest);
  other = base;
  other.end_ps = 1;
  EXPECT_NE(result_digest(other, 1), digest);
  other = base;
  other.event_digest = 1;
  EXPECT_NE(result_digest(other, 1), digest);
  other = base;
  other.totals.drops[3] = 1;
  EXPECT_NE(result_digest(other, 1), digest);
}

/// An early stop has the digest of its instant.
TEST(ResultDigest, OfAnEarlyStop) {
  const World world = unfinished(kNever);
  const auto stopped_at = [&](TimePs t, TimePs step_ps) {
    Engine engine(world, {});
    for (TimePs at = step_ps; at < t; at += step_ps) engine.advance(at);
    engine.advance(t);
    return engine.outcome().digest;
  };
  EXPECT_EQ(stopped_at(10'000'000, 10'000'000), stopped_at(10'000'000, 777'777));
  EXPECT_NE(stopped_at(10'000'000, 777'777), stopped_at(10'000'001, 777'777)) << "the end is part of it";
}

}  // namespace
}  // namespace heddle
