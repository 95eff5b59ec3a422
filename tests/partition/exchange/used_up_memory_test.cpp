// A rank whose packet memory is exhausted by packets of other ranks: the run ends with the error, the checkpoint is
// refused, and nothing is counted beyond the end.
#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/base/units.hpp"
#include "partition/exchange/ranked_engine.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/property/ranks.hpp"

namespace heddle {
namespace {

constexpr TimePs kLongLambda = 5'000'000'000;

/// Eight senders far from their switch: packets are on wires for 5 ms.
World far_senders() {
  World world = oracle::star(9);
  world.fabric.ingress.clear();
  for (Link& link : world.fabric.links) link.ingress = kNone, link.lambda_ps = link.phi_ps = kLongLambda;
  for (u32 src = 1; src < 9; ++src) oracle::add_qp(world, src, 0, {{400'000'000, 0}});
  world.roce.window_packets = 0;
  return world;
}

/// The switch has the wires of all senders, which share two other ranks: its rank is the first without memory, and has
/// not simulated a packet by then.
std::vector<Part> switch_apart(const World& world) {
  std::vector<Part> parts;
  for (u32 rank = 0; rank < 3; ++rank)
    parts.push_back({{1, 1, 1, 1, 1, 2, 2, 2, 2, 0}, rank, world.clocks.epoch_ps / 2});
  return parts;
}

EngineOptions little_memory() {
  EngineOptions options;
  options.memory_limit_bytes = 4 << 20;
  return options;
}

template <class AnyEngine>
Outcome run_to_end(AnyEngine& engine) {
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

Outcome ended_by_memory(const World& world) {
  return property::in_ranks(world, little_memory(), switch_apart(world),
                            [](RankedEngine& engine) { return run_to_end(engine); });
}

/// Checks that no link has sent more than the time before the end allows.
void expect_within_its_time(const World& world, const Outcome& outcome) {
  ASSERT_EQ(outcome.links.size(), world.fabric.links.size());
  for (LinkId l = 0; l < outcome.links.size(); ++l) {
    const LinkOutcome& link = outcome.links[l];
    EXPECT_LE(link.sent_bytes, bytes_in_ps(outcome.end_ps, world.fabric.links[l].ps_per_byte_q16)) << "link " << l;
    EXPECT_LE(link.paused_ps, static_cast<u64>(outcome.end_ps)) << "link " << l;
    EXPECT_LE(link.peak_queue_ps, outcome.end_ps) << "link " << l;
  }
}

TEST(UsedUpMemory, ByWhatIsDeliveredEndsTheRun) {
  World world = far_senders();
  world.clocks.horizon_ps = kLongLambda / 2;
  const Outcome outcome = ended_by_memory(world);
  EXPECT_EQ(outcome.reason, EndReason::error);
  EXPECT_NE(outcome.explanation.find("the memory for queued packets is exhausted: 0 packets (0 B) are queued and "),
            std::string::npos)
      << outcome.explanation;
  EXPECT_NE(outcome.explanation.find("fewer packets under way"), std::string::npos) << outcome.explanation;
  EXPECT_GT(outcome.end_ps, 10'000'000);
  EXPECT_LT(outcome.end_ps, world.clocks.horizon_ps);
  expect_within_its_time(world, outcome);
}

/// One period later the ranks exchange it, and another period later they stop.
TEST(UsedUpMemory, IsKnownToAllSoon) {
  World world = far_senders();
  world.clocks.horizon_ps = kLongLambda / 2;
  const TimePs end_ps = ended_by_memory(world).end_ps;
  const TimePs stopped_ps = property::in_ranks(world, little_memory(), switch_apart(world), [&](RankedEngine& engine) {
    while (engine.advance(kNever)) {
    }
    return engine.now_ps();
  });
  EXPECT_LE(stopped_ps, end_ps + world.clocks.epoch_ps);
}

/// The last exchange comes when all has been simulated.
TEST(UsedUpMemory, ByTheLastWordsEndsTheRun) {
  World world = far_senders();
  const TimePs when_ps = ended_by_memory(world).end_ps;
  world.clocks.horizon_ps = when_ps;
  const Outcome outcome = ended_by_memory(world);
  EXPECT_EQ(outcome.reason, EndReason::error);
  EXPECT_EQ(outcome.end_ps, when_ps);
  world.clocks.horizon_ps = when_ps - world.clocks.epoch_ps;
  EXPECT_EQ(ended_by_memory(world).reason, EndReason::horizon);
}

/// Tries to save one period before the exhaustion, and at it.
TEST(UsedUpMemory, IsNotSaved) {
  World world = far_senders();
  const TimePs when_ps = ended_by_memory(world).end_ps;
  const auto nothing = [](std::span<const u64>) {};
  const Outcome outcome = property::in_ranks(world, little_memory(), switch_apart(world), [&](RankedEngine& engine) {
    EXPECT_TRUE(engine.advance(when_ps - world.clocks.epoch_ps));
    EXPECT_TRUE(engine.can_save());
    EXPECT_NO_THROW(engine.save(nothing));
    EXPECT_TRUE(engine.advance(when_ps));
    EXPECT_FALSE(engine.can_save());
    EXPECT_THROW(engine.save(nothing), std::logic_error);
    EXPECT_FALSE(engine.advance(kNever));
    return engine.outcome();
  });
  EXPECT_EQ(outcome.reason, EndReason::error);
  EXPECT_EQ(outcome.end_ps, when_ps);
}

/// An earlier checkpoint resumes with more memory, to the end of an undisturbed run.
TEST(UsedUpMemory, MoreOfItResumesFromWhatWasSavedBefore) {
  World world = far_senders();
  world.clocks.horizon_ps = kLongLambda / 2;
  const TimePs saved_ps = ended_by_memory(world).end_ps - world.clocks.epoch_ps;
  const std::vector<u64> words =
      property::in_ranks(world, little_memory(), switch_apart(world), [&](RankedEngine& engine) {
        engine.advance(saved_ps);
        return property::saved(engine);
      });
  Engine whole(world, {});
  const Outcome expected = run_to_end(whole);
  ASSERT_EQ(expected.reason, EndReason::horizon);
  const Outcome outcome = property::in_ranks(world, {}, switch_apart(world), [&](RankedEngine& engine) {
    engine.load(words);
    engine.go_on_at(saved_ps);
    return run_to_end(engine);
  });
  EXPECT_EQ(outcome.reason, EndReason::horizon);
  EXPECT_EQ(outcome.digest, expected.digest);
}

}  // namespace
}  // namespace heddle
