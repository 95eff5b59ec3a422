// A run whose packet memory is exhausted reports nothing beyond its end.
#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/base/units.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

constexpr u64 kMemoryBytes = 8 << 20;

/// Eight endless messages to one receiver; beside them, one packet that is posted at `late_ps`.
World incast_without_pauses(TimePs late_ps) {
  World world = oracle::star(11);
  world.fabric.ingress.clear();
  for (Link& link : world.fabric.links) link.ingress = kNone;
  for (u32 src = 1; src < 9; ++src) oracle::add_qp(world, src, 0, {{400'000'000, 0}});
  oracle::add_qp(world, 9, 10, {{4096, late_ps}});
  world.roce.window_packets = 0;
  return world;
}

/// The counters at the end, from the outcome and from link_counters().
struct Told {
  Outcome outcome;
  std::vector<LinkCounters> counters;
  u64 memory_bytes = 0;
};

Told used_up(const World& world) {
  EngineOptions options;
  options.memory_limit_bytes = kMemoryBytes;
  Engine engine(world, options);
  while (engine.advance(kNever)) {
  }
  EXPECT_TRUE(engine.exhausted());
  Told told;
  told.outcome = engine.outcome();
  told.counters.resize(world.fabric.links.size());
  engine.link_counters(told.counters);
  told.memory_bytes = engine.memory_bytes();
  return told;
}

/// The tick of the exhaustion has begun: a packet that starts in its middle is not counted, and no count underflows.
TEST(UsedUpMemory, LinksCountNothingBeyondTheEnd) {
  const TimePs end_ps = used_up(incast_without_pauses(0)).outcome.end_ps;
  World world = incast_without_pauses(end_ps + 300'000);
  const Told told = used_up(world);
  ASSERT_EQ(told.outcome.reason, EndReason::error);
  ASSERT_EQ(told.outcome.end_ps, end_ps) << "the late packet starts in another tick";
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const u64 max_bytes = bytes_in_ps(end_ps, world.fabric.links[l].ps_per_byte_q16);
    EXPECT_LE(told.outcome.links[l].sent_bytes, max_bytes) << "link " << l;
    EXPECT_LE(told.counters[l].sent_bytes, max_bytes) << "link " << l;
    EXPECT_LE(told.outcome.links[l].peak_queue_ps, end_ps) << "link " << l;
  }
  const LinkId late = world.fabric.nodes[9].first_link;
  EXPECT_EQ(told.outcome.links[late].sent_bytes, 0u);
}

TEST(UsedUpMemory, PausesLastNoLongerThanTheRun) {
  World world = oracle::star(13);
  world.fabric.ingress.push_back({false, 60'000, 30'000, 1'000'000, 0});
  for (NodeId e = 9; e < 12; ++e) {  // three more senders, which are paused now and then
    world.fabric.links[world.fabric.nodes[e].first_link].ingress = 1;
  }
  for (u32 src = 1; src < 9; ++src) oracle::add_qp(world, src, 0, {{400'000'000, 0}});
  for (u32 src = 9; src < 12; ++src) oracle::add_qp(world, src, 12, {{400'000'000, 0}});
  world.roce.window_packets = 0;
  const Told told = used_up(world);
  ASSERT_EQ(told.outcome.reason, EndReason::error);
  u64 paused_ps = 0;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    EXPECT_LE(told.outcome.links[l].paused_ps, static_cast<u64>(told.outcome.end_ps)) << "link " << l;
    EXPECT_LE(told.counters[l].paused_ps, static_cast<u64>(told.outcome.end_ps)) << "link " << l;
    paused_ps += told.counters[l].paused_ps;
  }
  EXPECT_GT(paused_ps, 0u);
}

TEST(UsedUpMemory, IsAllThatTheRunMayUse) {
  const Told told = used_up(incast_without_pauses(0));
  EXPECT_GT(told.memory_bytes, kMemoryBytes / 3);
  EXPECT_LE(told.memory_bytes, kMemoryBytes + 4096) << "and a few flags";
  EXPECT_NE(told.outcome.explanation.find("at switch11 port 0"), std::string::npos) << told.outcome.explanation;
  EXPECT_NE(told.outcome.explanation.find("make its queues shorter"), std::string::npos) << told.outcome.explanation;
}

TEST(Engine, MessagesAndLinksAreThoseOfTheLastEnding) {
  const World world = oracle::star_with_a_failing_qp(50'000);
  Engine engine(world, {});
  std::vector<MessageOutcome> messages(world.traffic.messages.size());
  std::vector<LinkOutcome> links(world.fabric.links.size());
  EXPECT_THROW(engine.messages(0, messages), std::logic_error);
  EXPECT_THROW(engine.links(links), std::logic_error);
  engine.advance(1'000'000);
  engine.ending();
  EXPECT_NO_THROW(engine.messages(0, messages));
  EXPECT_NO_THROW(engine.links(links));
  engine.advance(2'000'000);
  EXPECT_THROW(engine.messages(0, messages), std::logic_error);
  EXPECT_THROW(engine.links(links), std::logic_error);
}

}  // namespace
}  // namespace heddle
