// Transmitters and wires: what the checker reports when they are corrupted.
#include <gtest/gtest.h>

#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// Corrupts the first switch link on which at least `starts` packets of class 1, and no others, started in the tick.
template <class F>
std::string spoil_link(u32 starts, const F& f) {
  CheckedRun run(incast_without_pfc());
  return run.spoil([&](CheckedRun& r) {
    return r.any_switch_queue(1, [&](u32 q) {
      const Queue& queue = r.model.view.queue[q];
      if (queue.sent - r.before[q].sent < starts || r.model.view.queue[q - 1].sent != r.before[q - 1].sent)
        return false;
      f(r, r.link_of(q), q, queue);
      return true;
    });
  });
}

TEST(InvariantLinks, BytesStartedAreTakenOrOnTheWire) {
  EXPECT_FOUND(spoil_link(2, [](CheckedRun& r, u32 link, u32,
                                const Queue&) { --r.model.view.link_tally[link].sent_wire_bytes; }),
               "B were started, but");
}

TEST(InvariantLinks, NoGoodputAboveCapacity) {
  EXPECT_FOUND(spoil_link(2,
                          [](CheckedRun& r, u32 link, u32, const Queue&) {
                            r.model.view.link_tally[link].sent_wire_bytes += 40'000;  // a tick takes 26,215 B
                          }),
               "goodput above capacity");
}

TEST(InvariantLinks, OnePacketAtATime) {
  EXPECT_FOUND(spoil_link(2, [](CheckedRun& r, u32, u32 q, const Queue& queue) { --r.time_ps(q, queue.sent - 1); }),
               "a packet starts before the one before it has left");
}

TEST(InvariantLinks, StartsLieInTheTick) {
  EXPECT_FOUND(spoil_link(1,
                          [](CheckedRun& r, u32 link, u32 q, const Queue& queue) {
                            r.time_ps(q, queue.sent - 1) += 600'000;  // more than a tick
                            r.model.view.egress[link].free_ps += 600'000;
                          }),
               "a packet starts outside the tick");
}

TEST(InvariantLinks, TheTransmitterIsFreeAfterItsLastPacket) {
  EXPECT_FOUND(spoil_link(1, [](CheckedRun& r, u32 link, u32, const Queue&) { ++r.model.view.egress[link].free_ps; }),
               "the transmitter is not free when its last packet has left");
}

}  // namespace
}  // namespace heddle
