// Parts that do not touch each other: each skips what repeats itself there, and all end where the run ends for one.
#include "partition/halo/apart_engines.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "host/build.hpp"
#include "partition/cut/apart.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/partition/halo/storms.hpp"

namespace heddle {
namespace {

EngineOptions skipping() {
  EngineOptions options;
  options.skips = true;
  return options;
}

template <class AnyEngine>
Outcome run(AnyEngine& engine) {
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

template <class AnyEngine>
u64 skipped_hops(const AnyEngine& engine) {
  const std::vector<Skip> skips = engine.skips();
  return std::accumulate(skips.begin(), skips.end(), u64{0}, [](u64 n, const Skip& s) { return n + s.packet_hops; });
}

void expect_equal(const Outcome& whole, const Outcome& apart) {
  EXPECT_EQ(apart.reason, whole.reason);
  EXPECT_EQ(apart.end_ps, whole.end_ps);
  EXPECT_EQ(apart.explanation, whole.explanation);
  EXPECT_EQ(apart.digest, whole.digest);
  EXPECT_EQ(apart.warnings, whole.warnings);
}

/// A long ring in one rack; in the other an all-to-all, whose packets meet at the same picosecond all the time.
World ring_beside_all_to_all() {
  return build_world(load_config_text(R"(
[dcqcn]
enabled = false
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 32
ctsws = 2
uplinks_per_rtsw = 2
[routing]
policy = "path_pinning"
[[job]]
gpus = 32
gpus_per_server = 1
channels = 1
qps_per_connection = 1
algorithm = "ring"
protocol = "simple"
[[job.collective]]
kind = "all_reduce"
sizes = ["64 MiB"]
[[job]]
gpus = 32
first_gpu = 32
gpus_per_server = 1
[[job.collective]]
kind = "all_to_all"
sizes = ["1 MiB"]
repeat = 50
)",
                                      "test"));
}

TEST(ApartEngines, OneSkipsWhileTheOtherHasNothingToSkip) {
  const World world = ring_beside_all_to_all();
  const std::vector<Part> parts = parts_apart(world, 16);
  ASSERT_EQ(parts.size(), 2u);
  Engine plain(world, {}), one(world, skipping());
  ApartEngines apart(world, skipping(), parts);
  const Outcome whole = run(plain);
  expect_equal(whole, run(one));
  expect_equal(whole, run(apart));
  EXPECT_GT(skipped_hops(apart), 2 * skipped_hops(one));
  EXPECT_GT(skipped_hops(apart), whole.totals.packet_hops / 10);
}

TEST(ApartEngines, StateAndCountersAreThoseOfOneEngineAtEveryStop) {
  const World world = ring_beside_all_to_all();
  Engine one(world, {});
  ApartEngines apart(world, skipping(), parts_apart(world, 16));
  std::vector<LinkCounters> expected(world.fabric.links.size()), counters(expected.size());
  for (const TimePs stop_ps : {100'000'001, 700'000'000, 1'234'567'890}) {
    ASSERT_EQ(one.advance(stop_ps), apart.advance(stop_ps));
    EXPECT_EQ(apart.now_ps(), stop_ps);
    one.link_counters(expected);
    apart.link_counters(counters);
    EXPECT_EQ(counters, expected);
    EXPECT_EQ(one.state_digest(), apart.state_digest());
    EXPECT_EQ(apart.totals().packet_hops, one.totals().packet_hops);
  }
}

/// Steps that are shorter than any period, as of a caller that looks at clocks and signals in between.
TEST(ApartEngines, ShortStepsLeaveAsMuchToSkip) {
  const World world = ring_beside_all_to_all();
  ApartEngines at_once(world, skipping(), parts_apart(world, 16)), in_steps(world, skipping(), parts_apart(world, 16));
  const Outcome expected = run(at_once);
  while (in_steps.advance(in_steps.now_ps() + 20'000'000)) {
  }
  expect_equal(expected, in_steps.outcome());
  EXPECT_GT(skipped_hops(in_steps), skipped_hops(at_once) / 4 * 3);
}

/// Rows that are closer than a period: a part that waits knows what it would have counted at each.
TEST(ApartEngines, RowsOfTheSeriesLeaveAsMuchToSkip) {
  const World world = ring_beside_all_to_all();
  ApartEngines at_once(world, skipping(), parts_apart(world, 16));
  const Outcome expected = run(at_once);
  for (const TimePs every_ps : {7'000'000, 10'000'000, 700'000'000}) {
    SCOPED_TRACE(every_ps);
    EngineOptions options = skipping();
    options.rows_every_ps = every_ps;
    Engine one(world, {});
    ApartEngines apart(world, options, parts_apart(world, 16));
    std::vector<LinkCounters> row(world.fabric.links.size()), counters(row.size());
    for (TimePs row_ps = every_ps; row_ps < expected.end_ps; row_ps += every_ps) {
      one.advance(row_ps);
      ASSERT_TRUE(apart.advance(row_ps));
      one.link_counters(row);
      apart.link_counters(counters);
      ASSERT_EQ(counters, row) << "at " << row_ps;
    }
    expect_equal(expected, run(apart));
    EXPECT_GT(skipped_hops(apart), skipped_hops(at_once) / 4 * 3);
  }
}

/// Rows that nobody had announced, and states in the middle of what is looked at for rows.
TEST(ApartEngines, CountersAreRightWhereverTheyAreAskedFor) {
  const World world = ring_beside_all_to_all();
  EngineOptions options = skipping();
  options.rows_every_ps = 9'000'000;
  Engine one(world, {});
  ApartEngines apart(world, options, parts_apart(world, 16));
  std::vector<LinkCounters> row(world.fabric.links.size()), counters(row.size());
  for (u64 i = 1; i < 150; ++i) {
    const TimePs stop_ps = static_cast<TimePs>(i) * 9'000'000 + (i % 7 == 0 ? 4'321'000 : 0);
    ASSERT_EQ(one.advance(stop_ps), apart.advance(stop_ps));
    one.link_counters(row);
    apart.link_counters(counters);
    ASSERT_EQ(counters, row) << "at " << stop_ps;
    if (i % 31 == 0) {
      ASSERT_EQ(apart.state_digest(), one.state_digest());
    }
  }
}

TEST(ApartEngines, GoOnFromACheckpointOfOneEngineAndTheOtherWayRound) {
  const World world = ring_beside_all_to_all();
  Engine whole(world, {});
  const Outcome expected = run(whole);
  const TimePs first_ps = expected.end_ps / 5, then_ps = expected.end_ps / 5 * 3;
  Engine begin(world, {});
  begin.advance(first_ps);
  std::vector<u64> words;
  const auto keep = [&](std::span<const u64> block) { words.insert(words.end(), block.begin(), block.end()); };
  begin.save(keep);
  ApartEngines middle(world, skipping(), parts_apart(world, 16));
  middle.load(words);
  middle.go_on_at(first_ps);
  middle.advance(then_ps);
  ASSERT_TRUE(middle.can_save());
  EXPECT_GT(skipped_hops(middle), 0u);
  words.clear();
  middle.save(keep);
  Engine end(world, skipping());
  end.load(words);
  end.go_on_at(then_ps);
  expect_equal(expected, run(end));
}

/// Hosts 0 to 3 on one switch, of which a queue pair fails after 10 us; on the other one a long message.
TEST(ApartEngines, AFailedQueuePairOfOneEndsAll) {
  World world = oracle::line(4, 4, 1);
  world.fabric.classes[2].limit_bytes = 100;
  world.roce.rto_ps = 5'000'000;
  world.roce.rto_tries = 1;
  const QpId lost = oracle::add_qp(world, 0, 2, {{4096, 20'000'000}});
  world.traffic.qps[lost].traffic_class = 2;
  oracle::add_qp(world, 5, 7, {{50'000'000, 0}});
  const std::vector<Part> parts = parts_apart(world, 2);
  ASSERT_EQ(parts.size(), 2u);
  Engine one(world, {});
  const Outcome whole = run(one);
  ASSERT_EQ(whole.reason, EndReason::qp_failed);
  ApartEngines apart(world, skipping(), parts);
  expect_equal(whole, run(apart));
}

TEST(ApartEngines, WarnOfStuckQueuesOfEach) {
  const World world = world_with_four_storms();
  const std::vector<Part> parts = parts_apart(world, 2);
  ASSERT_EQ(parts.size(), 2u);
  Engine one(world, {});
  const Outcome whole = run(one);
  ASSERT_EQ(whole.warnings.size(), 4u);
  ApartEngines apart(world, skipping(), parts);
  expect_equal(whole, run(apart));
}

TEST(ApartEngines, OneWithoutMemoryEndsAll) {
  World world = oracle::line(4, 4, 1);
  world.fabric.ingress.clear();
  for (Link& link : world.fabric.links) link.ingress = kNone;
  for (u32 src = 1; src < 4; ++src) oracle::add_qp(world, src, 0, {{400'000'000, 0}});
  oracle::add_qp(world, 5, 7, {{400'000'000, 0}});
  world.roce.window_packets = 0;
  EngineOptions options = skipping();
  options.memory_limit_bytes = 8 << 20;
  const std::vector<Part> parts = parts_apart(world, 2);
  ASSERT_EQ(parts.size(), 2u);
  ApartEngines apart(world, options, parts);
  const Outcome outcome = run(apart);
  EXPECT_EQ(outcome.reason, EndReason::error);
  EXPECT_NE(outcome.explanation.find("the memory for queued packets is exhausted"), std::string::npos);
  EXPECT_FALSE(apart.can_save());
}

TEST(ApartEngines, RefuseToBeSkippedOrToldOtherRoutes) {
  const World world = ring_beside_all_to_all();
  ApartEngines apart(world, skipping(), parts_apart(world, 16));
  EXPECT_FALSE(apart.repetition());
  EXPECT_THROW(apart.skip(1), std::logic_error);
}

/// A division that was said to be apart, and is not, is a defect that ends the run.
TEST(ApartEngines, PartsThatTouchEachOtherAreFoundOut) {
  World world = oracle::line(4, 4, 1);
  oracle::add_qp(world, 0, 7, {{50'000, 0}});
  Part part;
  part.rank_of_node = {0, 0, 0, 0, 1, 1, 1, 1, 0, 1};
  part.period_ps = oracle::kTinyLambda / 2;
  part.apart = true;
  std::vector<Part> parts(2, part);
  parts[1].rank = 1;
  ApartEngines apart(world, skipping(), parts);
  EXPECT_THROW(apart.advance(kNever), std::logic_error);
}

}  // namespace
}  // namespace heddle
