// What repeats itself is skipped, and nothing else changes: counters, tables, events and states are those of a run in
// which everything was simulated.
#include <gtest/gtest.h>

#include "host/build.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/kernels/skip/both_ways.hpp"

namespace heddle {
namespace {

/// One ring over GPUs without NVLink: nobody meets anybody. `last`: of its [[job]], and what comes behind it.
World ring(const std::string& last, const std::string& policy = "path_pinning") {
  return build_world(load_config_text(R"(
[topology]
kind = "ai_zone"
racks = 4
gpus_per_rack = 8
ctsws = 2
uplinks_per_rtsw = 8
[dcqcn]
enabled = false
[routing]
policy = ")" + policy + R"("
[[job]]
gpus = 32
gpus_per_server = 1
channels = 1
qps_per_connection = 1
algorithm = "ring"
protocol = "simple"
)" + last,
                                      "ring"));
}

const char* const kLong = "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"32 MiB\"]\n";

u64 skipped_hops(const Engine& engine) {
  u64 hops = 0;
  for (const Skip& skip : engine.skips()) hops += skip.packet_hops;
  return hops;
}

Outcome run(Engine& engine) {
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

TEST(Skipper, ARingEndsAsIfAllOfItHadBeenSimulated) {
  const World world = ring(kLong);
  Engine plain(world, {}), skipping(world, {.skips = true});
  const Outcome all = run(plain), some = run(skipping);
  EXPECT_EQ(some.end_ps, all.end_ps);
  EXPECT_EQ(some.digest, all.digest);
  EXPECT_EQ(some.totals.packet_hops, all.totals.packet_hops);
  EXPECT_EQ(some.links, all.links);
  EXPECT_GT(skipped_hops(skipping), all.totals.packet_hops / 3);
  EXPECT_LT(skipping.ticks(), plain.ticks() * 3 / 4);
}

TEST(Skipper, SkipsLieOneBehindTheOtherAndAreWholePeriods) {
  Engine engine(ring(kLong), {.skips = true});
  run(engine);
  TimePs end_ps = 0;
  for (const Skip& skip : engine.skips()) {
    EXPECT_GE(skip.from_ps - 2 * skip.period_ps, 0);
    EXPECT_GE(skip.from_ps, end_ps);
    EXPECT_EQ(skip.to_ps - skip.from_ps, static_cast<TimePs>(skip.times) * skip.period_ps);
    EXPECT_EQ(skip.packet_hops % skip.times, 0u);
    end_ps = skip.to_ps;
  }
}

TEST(Skipper, TimeInWhichNothingHappensIsNotLookedAtPieceByPiece) {
  const World world = ring("[[job.collective]]\nsizes = [\"1 KiB\"]\nrepeat = 2\ninterval = \"10 s\"\n");
  Engine engine(world, {.skips = true});
  engine.advance(1'000'000'000);
  EXPECT_GT(engine.next_repetition_look_ps(), TimePs{9'999'000'000'000});
  EXPECT_EQ(run(engine).collectives[1].first_enter_ps, TimePs{10'000'000'000'000});
}

TEST(Skipper, TheStateIsThatOfASimulatedRunAtEveryStop) {
  const World world = ring(kLong);
  Engine plain(world, {}), skipping(world, {.skips = true});
  std::vector<LinkCounters> all(world.fabric.links.size()), some(world.fabric.links.size());
  for (TimePs stop = 123'456'789;; stop += 987'654'321) {
    const bool goes_on = plain.advance(stop);
    ASSERT_EQ(skipping.advance(stop), goes_on);
    if (!goes_on) break;
    EXPECT_EQ(skipping.now_ps(), plain.now_ps());
    EXPECT_EQ(skipping.state_digest(), plain.state_digest());
    plain.link_counters(all);
    skipping.link_counters(some);
    EXPECT_EQ(some, all);
  }
  EXPECT_GT(skipped_hops(skipping), 0u);
}

TEST(Skipper, WhoAsksIsToldAndSkipsAsMuchAsWanted) {
  const World world = ring(kLong);
  Engine plain(world, {}), engine(world, {.skips = true});
  while (engine.advance(kNever, OnRepetition::stop) && !engine.repetition()) {
  }
  ASSERT_TRUE(engine.repetition());
  const Repetition found = *engine.repetition();
  const TimePs found_ps = engine.now_ps();
  ASSERT_GE(found.times, 3u);
  EXPECT_THROW(engine.skip(found.times + 1), std::logic_error);
  engine.skip(2);
  EXPECT_EQ(engine.now_ps(), found_ps + 2 * found.period_ps);
  ASSERT_TRUE(engine.repetition()) << "less than all: the rest is still there";
  EXPECT_EQ(engine.repetition()->times, found.times - 2);
  plain.advance(engine.now_ps());
  EXPECT_EQ(engine.state_digest(), plain.state_digest());
  ASSERT_TRUE(engine.advance(engine.now_ps() + 1, OnRepetition::stop));
  EXPECT_FALSE(engine.repetition()) << "in the middle of a period";
  ASSERT_TRUE(engine.advance(found_ps + 3 * found.period_ps, OnRepetition::stop));
  EXPECT_EQ(engine.repetition().has_value(), found.times > 3) << "simulated, it is found again";
}

TEST(Skipper, NothingIsSkippedWhereThePolicyLooksAtTheTime) {
  Engine engine(ring(kLong, "spray"), {.skips = true});
  run(engine);
  EXPECT_EQ(skipped_hops(engine), 0u);
}

/// When its entries begin to hold stands in no field of the state.
TEST(Skipper, NothingIsSkippedWhereAControllersEntriesHoldLater) {
  const World world =
      ring(std::string(kLong) + "[routing.traffic_engineering]\nstart = \"800 us\"\n", "traffic_engineering");
  Engine plain(world, {}), skipping(world, {.skips = true});
  EXPECT_EQ(run(skipping).digest, run(plain).digest);
  EXPECT_EQ(skipped_hops(skipping), 0u);
}

TEST(Skipper, NothingIsSkippedWhereEveryPacketIsAnEvent) {
  Engine engine(ring(kLong), {.trace = true, .skips = true});
  run(engine);
  EXPECT_EQ(skipped_hops(engine), 0u);
}

/// It does not move with the period, so repetitions end before it.
TEST(Skipper, ACollectiveThatStartsInBetweenStartsInTime) {
  const std::string second = std::string(kLong) + R"(
[[job]]
gpus = 2
first_gpu = 0
share_gpus = true
gpus_per_server = 1
[[job.collective]]
kind = "all_reduce"
sizes = ["64 KiB"]
start = "800 us"
)";
  const World world = ring(second);
  Engine plain(world, {}), skipping(world, {.skips = true});
  const Outcome all = run(plain), some = run(skipping);
  EXPECT_EQ(some.collectives[1].first_enter_ps, all.collectives[1].first_enter_ps);
  EXPECT_EQ(some.digest, all.digest);
  EXPECT_GT(skipped_hops(skipping), 0u);
}

/// Limits follow the free memory of an epoch and what came in it. Once nothing comes for such a queue, they decide
/// nothing.
TEST(Skipper, DynamicLimitsOfAClassThatIsSilentDoNotMatter) {
  const std::string text = R"(
[topology]
kind = "star"
hosts = 6
[link]
host_rate = "100 Gb/s"
[dcqcn]
enabled = false
[class.best_effort]
limit_alpha = 0.002
[roce]
ack_every = 1
reth = 0
rto = "1 ms"
[[message]]
src = 0
dst = 1
bytes = "16 MB"
[[message]]
src = 2
dst = 4
bytes = "100 KB"
class = "best_effort"
[[generator]]
kind = "incast"
first_host = 2
hosts = 4
target = 2
fan_in = 3
bytes = "200 KB"
messages = 1
start = "1 ms"
class = "best_effort"
)";
  EXPECT_GT(skipped_without_a_trace(text), 0u);
}

TEST(Skipper, IsRefusedWhereEveryTickIsToBeVerified) {
  EXPECT_THROW(Engine(ring(kLong), {.skips = true, .check = true}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
