// The end of a run ends it for all ranks, at the same instant and with the same text as without ranks. Random worlds
// show that results are equal otherwise (tests/property, variants with ranks).
#include "partition/exchange/ranked_engine.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "tests/kernels/observe/ring_of_three.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/partition/exchange/storms.hpp"
#include "tests/property/ranks.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

/// Node n goes to rank ranks[n].
std::vector<Part> parts(const std::vector<u32>& rank_of_node, u32 ranks, TimePs period_ps) {
  std::vector<Part> all;
  for (u32 rank = 0; rank < ranks; ++rank) all.push_back({rank_of_node, rank, period_ps});
  return all;
}

Outcome run_whole(const World& world, const EngineOptions& options = {}) {
  Engine engine(world, options);
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

Outcome run_ranked(const World& world, const std::vector<u32>& rank_of_node, u32 ranks,
                   const EngineOptions& options = {}) {
  const TimePs period_ps = std::min(world.fabric.links[0].lambda_ps, world.clocks.epoch_ps) / 2;
  return property::outcome_in_ranks(world, options, parts(rank_of_node, ranks, period_ps));
}

void expect_equal(const Outcome& whole, const Outcome& ranked) {
  EXPECT_EQ(ranked.reason, whole.reason);
  EXPECT_EQ(ranked.end_ps, whole.end_ps);
  EXPECT_EQ(ranked.explanation, whole.explanation);
  EXPECT_EQ(ranked.digest, whole.digest);
  EXPECT_EQ(ranked.warnings, whole.warnings);
}

TEST(RankedEngine, FindsADeadlockWhoseQueuesAreInThreeRanks) {
  World world = ring_of_three();
  world.clocks.stuck_ps = 1'000'000'000;
  const Outcome whole = run_whole(world);
  ASSERT_EQ(whole.reason, EndReason::deadlock);
  expect_equal(whole, run_ranked(world, {0, 0, 1, 1, 2, 2, 0, 1, 2}, 3));
  expect_equal(whole, run_ranked(world, {0, 1, 0, 1, 0, 1, 1, 1, 0}, 2));
}

/// Storms are ordered by the time at which they were found, then by port, in any rank.
TEST(RankedEngine, WarnsOfPauseStormsInTheOrderOfOneEngine) {
  const World world = world_with_four_storms();
  const Outcome whole = run_whole(world);
  ASSERT_EQ(whole.warnings.size(), 4u);
  const std::string found[] = {"switch9 port 0", "switch8 port 1", "switch9 port 1", "switch8 port 0"};
  for (u32 i = 0; i < 4; ++i) EXPECT_NE(whole.warnings[i].find(found[i]), std::string::npos) << whole.warnings[i];
  expect_equal(whole, run_ranked(world, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 1));
  expect_equal(whole, run_ranked(world, {0, 0, 0, 0, 1, 1, 1, 1, 0, 1}, 2));
  expect_equal(whole, run_ranked(world, {0, 1, 0, 1, 1, 1, 0, 0, 1, 0}, 2));
  expect_equal(whole, run_ranked(world, {2, 1, 0, 1, 0, 1, 2, 0, 2, 1}, 3));
}

/// Results of one rank, or of an engine of the whole World.
struct Told {
  Outcome outcome;
  std::vector<LinkCounters> counters;
};

template <class AnyEngine>
Told told_by(AnyEngine& engine, const World& world) {
  while (engine.advance(kNever)) {
  }
  Told told;
  told.outcome = engine.outcome();
  told.counters.resize(world.fabric.links.size());
  engine.link_counters(told.counters);
  return told;
}

/// Rank 0 alone holds results that grow with the World; all ranks know those by which a caller decides.
TEST(RankedEngine, OtherRanksKnowTheEndButNotTheMessages) {
  const World world = world_with_four_storms();
  Engine engine(world, {});
  const Told whole = told_by(engine, world);
  std::vector<Told> others;
  std::mutex mutex;
  const std::vector<Part> three = parts({2, 1, 0, 1, 0, 1, 2, 0, 2, 1}, 3, oracle::kTinyLambda / 2);
  const Told first = property::in_ranks(world, {}, three, [&](RankedEngine& ranked) {
    Told told = told_by(ranked, world);
    if (!told.outcome.messages.empty()) return told;
    const std::lock_guard lock(mutex);
    others.push_back(std::move(told));
    return Told();
  });
  expect_equal(whole.outcome, first.outcome);
  EXPECT_EQ(first.counters, whole.counters);
  EXPECT_EQ(first.outcome.messages, whole.outcome.messages);
  ASSERT_EQ(others.size(), 2u);
  for (const Told& other : others) {
    EXPECT_EQ(other.outcome.reason, whole.outcome.reason);
    EXPECT_EQ(other.outcome.end_ps, whole.outcome.end_ps);
    EXPECT_EQ(other.outcome.digest, whole.outcome.digest);
    EXPECT_EQ(other.outcome.totals.packet_hops, whole.outcome.totals.packet_hops);
    EXPECT_TRUE(other.outcome.warnings.empty());
    for (std::size_t l = 0; l < whole.counters.size(); ++l) {  // one rank counts a link
      EXPECT_TRUE(other.counters[l] == whole.counters[l] || other.counters[l] == LinkCounters()) << l;
    }
  }
}

TEST(RankedEngine, AFailedQueuePairEndsAllRanks) {
  const World world = oracle::star_with_a_failing_qp(5'000'000);
  const Outcome whole = run_whole(world);
  ASSERT_EQ(whole.reason, EndReason::qp_failed);
  expect_equal(whole, run_ranked(world, {0, 1, 0, 1, 2}, 3));
}

TEST(RankedEngine, ARankWithoutMemoryEndsAllRanks) {
  World world = oracle::star(9);
  world.fabric.ingress.clear();
  for (Link& link : world.fabric.links) link.ingress = kNone;
  for (u32 src = 1; src < 9; ++src) oracle::add_qp(world, src, 0, {{400'000'000, 0}});
  world.roce.window_packets = 0;
  EngineOptions options;
  options.memory_limit_bytes = 8 << 20;
  const Outcome outcome = run_ranked(world, {1, 1, 1, 1, 1, 1, 1, 1, 1, 0}, 2, options);
  EXPECT_EQ(outcome.reason, EndReason::error);
  EXPECT_NE(outcome.explanation.find("the memory for queued packets is exhausted"), std::string::npos)
      << outcome.explanation;
  EXPECT_NE(outcome.explanation.find("at switch9 port 0"), std::string::npos) << outcome.explanation;
  EXPECT_GT(outcome.end_ps, 10'000'000);  // eight senders fill 8 MiB, a third of it with packets, at 350 GB/s
  EXPECT_LT(outcome.end_ps, 100'000'000'000);
}

TEST(RankedEngine, RefusesWhatItCannotDo) {
  World world = oracle::star(2);
  const auto refusal = [&](const EngineOptions& options, TimePs period_ps) {
    return test::message_of<std::invalid_argument>([&] {
      property::in_ranks(world, options, parts({0, 1, 0}, 2, period_ps),
                         [](RankedEngine& engine) { return engine.now_ps(); });
    });
  };
  EngineOptions checked;
  checked.check = true;
  EXPECT_EQ(refusal({}, 1000), "");
  EXPECT_NE(refusal({}, oracle::kTinyLambda).find("at most half of the least latency"), std::string::npos);
  EXPECT_NE(refusal(checked, 1000).find("use one rank"), std::string::npos);
  for (Link& link : world.fabric.links) link.lambda_ps = link.phi_ps = 8 * world.clocks.epoch_ps;
  EXPECT_NE(refusal({}, 4 * world.clocks.epoch_ps).find("when a queue pair fails"), std::string::npos);
}

}  // namespace
}  // namespace heddle
