// Deadlocks are found and named, pause storms are reported, and neither depends on how the run is divided.
#include <gtest/gtest.h>

#include "kernels/engine/engine.hpp"
#include "kernels/observe/stuck.hpp"
#include "tests/kernels/observe/ring_of_three.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

TEST(Stuck, DeadlockEndsTheRunAndIsNamed) {
  Engine engine(ring_of_three(), {});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::deadlock);
  for (const char* port : {"switch6 port 2", "switch7 port 3", "switch8 port 3"}) {
    EXPECT_NE(outcome.explanation.find(port), std::string::npos) << outcome.explanation;
  }
}

TEST(Stuck, FindingDoesNotDependOnTheCaller) {
  Engine whole(ring_of_three(), {});
  while (whole.advance(kNever)) {
  }
  Engine steps(ring_of_three(), {.threads = 2, .sharing_from_nodes = 0});
  for (TimePs t = 0; steps.advance(t); t += 1'234'567'891) {
  }
  EXPECT_EQ(whole.outcome().end_ps, steps.outcome().end_ps);
  EXPECT_EQ(whole.outcome().digest, steps.outcome().digest);
}

TEST(Stuck, PauseStormIsAWarning) {
  World w = oracle::star(3);
  w.fabric.ingress.push_back({false, 10'000, 5'000, 300'000, 0});
  const LinkId down = w.fabric.links[w.fabric.nodes[0].first_link].reverse;
  w.fabric.links[down].ingress = 1;
  w.traffic.slow_receivers = {{0, 0x7fffffffu}};  // 32.8 ns a byte, so 137 us a packet
  w.clocks.stuck_ps = 100'000'000;
  w.traffic.messages.push_back({oracle::add_qp(w, 1, 0, {}), 600'000, 0});
  Engine engine(w, {});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete);
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_NE(outcome.warnings[0].find("pause storm: switch3 port 0"), std::string::npos) << outcome.warnings[0];
}

/// Both directions of the cable between two switches are stuck, each behind a slow host of its own: neither waits for
/// the other, because the packets that each holds came from a host.
TEST(Stuck, TwoStormsThatFaceEachOtherAreNoDeadlock) {
  World w = oracle::line(2, 2, 1);
  w.fabric.ingress[0] = {false, 10'000, 5'000, 300'000, 0};
  w.traffic.slow_receivers = {{0, 0x7fffffffu}, {2, 0x7fffffffu}};  // 32.8 ns a byte, so 137 us a packet
  w.clocks.stuck_ps = 100'000'000;
  w.traffic.messages.push_back({oracle::add_qp(w, 1, 2, {}), 600'000, 0});
  w.traffic.messages.push_back({oracle::add_qp(w, 3, 0, {}), 600'000, 0});
  Engine engine(w, {});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  std::string warnings;
  for (const std::string& warning : outcome.warnings) warnings += warning + "\n";
  for (const char* port : {"switch4 port 2", "switch5 port 2"}) {
    EXPECT_NE(warnings.find(port), std::string::npos) << warnings;
  }
}

TEST(Stuck, AnOrdinaryIncastIsNot) {
  World w = oracle::star(9);
  w.fabric.ingress[0] = {false, 50'000, 40'000, 300'000, 0};
  for (u32 src = 1; src < 9; ++src) w.traffic.messages.push_back({oracle::add_qp(w, src, 0, {}), 40'000'000, 0});
  Engine engine(w, {});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_GT(outcome.totals.pauses, 0u);
  EXPECT_TRUE(outcome.warnings.empty());
}

TEST(Stuck, ACycleIsFoundAmongOtherQueues) {
  // 5 waits for 1, which waits for 2, 2 for 3, 3 for 2 (a stuck queue holds packets from the link that waits for it)
  const std::vector<StuckQueue> stuck = {{1, {5}}, {2, {1, 3}}, {3, {2, 9}}, {5, {}}};
  EXPECT_EQ(find_cycle(stuck), (std::vector<u32>{2, 3}));
  const std::vector<StuckQueue> chain = {{1, {2}}, {2, {3}}, {3, {4}}};
  EXPECT_TRUE(find_cycle(chain).empty());
  EXPECT_EQ(find_cycle(std::vector<StuckQueue>{{7, {7}}}), std::vector<u32>{7});
}

/// Link 1 in class 1 waits for link 2 in class 3, and that for nobody: what waits for link 1 is link 2 in class 1.
TEST(Stuck, AQueueWaitsForOneClassAlone) {
  const u32 one = queue_number(1, 1), two = queue_number(2, 1), two_detour = queue_number(2, 3);
  EXPECT_TRUE(find_cycle(std::vector<StuckQueue>{{one, {two}}, {two_detour, {one}}}).empty());
  EXPECT_EQ(find_cycle(std::vector<StuckQueue>{{one, {two}}, {two, {one}}}).size(), 2u);
}

}  // namespace
}  // namespace heddle
