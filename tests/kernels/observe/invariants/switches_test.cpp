// Switches as a whole: what the checker reports when packets vanish, grow or change inside. There is no PFC, so that no
// account detects it first.
#include <gtest/gtest.h>

#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// Corrupts a switch queue whose last packet arrived in this tick.
template <class F>
std::string spoil_newcomer(const F& f) {
  CheckedRun run(incast_without_pfc());
  return run.spoil([&](CheckedRun& r) {
    return r.any_switch_queue(1, [&](u32 q) {
      Queue& queue = r.model.view.queue[q];
      const bool fresh = queue.tail != r.before[q].tail && queue.tail - queue.sent > 1;
      if (fresh) f(r, r.link_of(q), queue, r.packet(q, queue.tail - 1));
      return fresh;
    });
  });
}

TEST(InvariantSwitches, PacketsDoNotVanish) {
  EXPECT_FOUND(spoil_newcomer([](CheckedRun&, u32, Queue& queue, const Packet& packet) {
                 queue.bytes -= packet.frame_bytes();
                 --queue.tail;
               }),
               "packets were held or came in, but");
}

TEST(InvariantSwitches, DropsAreOfPackets) {
  EXPECT_FOUND(
      spoil_newcomer([](CheckedRun& r, u32 link, Queue&, const Packet&) { ++r.model.view.link_tally[link].drops; }),
      "are held and 1 were dropped");
}

TEST(InvariantSwitches, BytesAreConserved) {
  EXPECT_FOUND(spoil_newcomer([](CheckedRun&, u32, Queue& queue, Packet& packet) {
                 --packet.w2;  // a frame shorter by a byte
                 --queue.bytes;
               }),
               "which 0 drops do not explain");
}

TEST(InvariantSwitches, PacketsAreNotChanged) {
  EXPECT_FOUND(spoil_newcomer([](CheckedRun&, u32, Queue&, Packet& packet) { ++packet.w3; }),  // the next PSN
               "a packet was changed inside the switch");
}

}  // namespace
}  // namespace heddle
