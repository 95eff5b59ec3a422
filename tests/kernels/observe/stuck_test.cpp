// Deadlocks are found and named, pause storms are reported, and neither depends on how the run is cut up.
#include <gtest/gtest.h>

#include "kernels/engine.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

/// Three switches in a ring with two hosts each; everybody sends to the switch after the next, clockwise only. Every
/// link of the ring then waits for the one after it: a cyclic buffer dependency.
World ring_of_three() {
  World w = oracle::tiny_fabric(6, 3, {{0, 6}, {1, 6}, {2, 7}, {3, 7}, {4, 8}, {5, 8}, {6, 7}, {7, 8}, {8, 6}});
  w.fabric.ingress[0] = {false, 50'000, 40'000, 300'000, 0};
  Routing& r = w.routing;
  r.groups = 3;
  r.group_of = {0, 0, 1, 1, 2, 2};
  r.attach_switch = {6, 6, 7, 7, 8, 8};
  r.attach_port = {0, 1, 0, 1, 0, 1};
  r.sets = {{0, 1}, {1, 1}};
  r.ports = {2, 3};  // switch 6 sends on by port 2, the others by port 3
  r.table = {kNone, 0, 0, 1, kNone, 1, 1, 1, kNone};
  for (u32 src = 0; src < 6; ++src) {
    const QpId qp = oracle::add_qp(w, src, (src + 4) % 6, {});
    w.traffic.messages.push_back({qp, 10'000'000, 0});
  }
  return w;
}

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
/// the other, because what each holds came from a host.
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

}  // namespace
}  // namespace heddle
