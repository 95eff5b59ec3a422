// Published state of ports under both parities: what the checker reports when it is corrupted, and a ring that grows
// unseen.
#include "kernels/observe/invariants/updates.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// Corrupts the first switch port that has no updates and has published nothing.
template <class F>
std::string spoil_silent(const F& f) {
  CheckedRun run(incast_world());
  return run.spoil([&](CheckedRun& r) {
    const View& v = r.model.view;
    for (u32 port = 0; port < v.first_link[1]; ++port) {
      if ((((v.port_updates[r.done.parity][0] | v.port_published[0]) >> port) & 1) != 0) continue;
      f(v, port, r.done.parity ^ 1);
      return true;
    }
    return false;
  });
}

TEST(InvariantUpdates, WhatWasSent) {
  EXPECT_FOUND(spoil_silent([](const View& v, u32 port, u32 other) {
                 ++v.published[other][port * v.settings.classes + 1].sent;
               }),
               "it tells two tales of what it has sent, and rests");
}

TEST(InvariantUpdates, WhereARingLies) {
  EXPECT_FOUND(spoil_silent([](const View& v, u32 port, u32 other) {
                 v.published[other][port * v.settings.classes].ring.base += 64;
               }),
               "it tells two tales of where a ring lies, and rests");
}

TEST(InvariantUpdates, WhatWasTaken) {
  EXPECT_FOUND(spoil_silent([](const View& v, u32 port, u32 other) {
                 ++v.head[other][v.egress[port].reverse * v.settings.classes];
               }),
               "it tells two tales of what it has taken, and rests");
}

TEST(InvariantUpdates, WhenItPauses) {
  EXPECT_FOUND(spoil_silent([](const View& v, u32 port, u32 other) { ++v.pause_tail[other][v.egress[port].reverse]; }),
               "it tells two tales of when it pauses, and rests");
}

/// The port to endpoint 0 sends a packet in 16 ticks. Before the second burst it is checked in every tick without need,
/// also in the tick in which that burst makes its ring grow; then it rests.
TEST(InvariantUpdates, ARingThatGrowsWhileNothingIsSentIsPublished) {
  World world = oracle::star(5);
  world.fabric.classes[1].pfc = false;
  for (Link& link : world.fabric.links) {
    if (link.dst == 0) link.ps_per_byte_q16 *= 100;
  }
  for (u32 src = 1; src < 5; ++src) oracle::add_qp(world, src, 0, {{4'096, 0}, {100'000, 4'000'000}});
  CheckedRun run(world);
  bool grown = false;
  u32 entries = 0;
  const std::string said = run.spoil([&](CheckedRun& r) {
    constexpr u32 kQueue = 1;  // class 1 of port 0
    const View& v = r.model.view;
    const u32 now = v.queue[kQueue].ring.entries();
    grown = entries != 0 && now > entries && v.queue[kQueue].sent == r.before[kQueue].sent;
    entries = now;
    v.port_active[0] |= 1;
    v.port_next_ps[0] = v.next_ps[0] = r.done.to_ps;
    return grown;
  });
  EXPECT_EQ(said, "");
  EXPECT_TRUE(grown);
}

}  // namespace
}  // namespace heddle
