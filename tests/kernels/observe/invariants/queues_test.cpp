// FIFOs: what the checker reports on corrupted queues.
#include <gtest/gtest.h>

#include <utility>

#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// Corrupts the first switch queue of class 1 that has at least `waiting` packets, more than one tick can add.
template <class F>
std::string spoil_queue(const F& f, u32 waiting = 64, const World& world = incast_without_pfc()) {
  CheckedRun run(world);
  return run.spoil([&](CheckedRun& r) {
    return r.any_switch_queue(1, [&](u32 q) {
      Queue& queue = r.model.view.queue[q];
      if (queue.tail - queue.sent < waiting) return false;
      f(r, q, queue);
      return true;
    });
  });
}

TEST(InvariantQueues, OrderOfTime) {
  EXPECT_FOUND(spoil_queue([](CheckedRun& r, u32 q, Queue& queue) {
                 r.time_ps(q, queue.sent + 1) = r.time_ps(q, queue.sent) - 1;
               }),
               "a FIFO is out of order of time");
}

TEST(InvariantQueues, NothingOvertakes) {
  EXPECT_FOUND(spoil_queue([](CheckedRun& r, u32 q, Queue& queue) {
                 std::swap(r.packet(q, queue.sent), r.packet(q, queue.sent + 1));
               }),
               "a packet has left its place in a FIFO");
}

TEST(InvariantQueues, NothingOvertakesOnTheWire) {
  CheckedRun run(incast_without_pfc());
  EXPECT_FOUND(run.spoil([](CheckedRun& r) {
    return r.any_nic_queue(1, [&](u32 q) {
      if (r.before[q].sent - r.head(q) < 2 || r.before[q].sent == 0) return false;
      std::swap(r.packet(q, r.head(q)), r.packet(q, r.head(q) + 1));
      return true;
    });
  }),
               "a packet has left its place in a FIFO");
}

TEST(InvariantQueues, BytesAreThoseOfThePackets) {
  EXPECT_FOUND(spoil_queue([](CheckedRun&, u32, Queue& queue) { ++queue.bytes; }), "the queue counts");
  EXPECT_FOUND(spoil_queue([](CheckedRun&, u32, Queue& queue) { queue.bytes -= queue.bytes + 1; }), "the queue counts");
}

TEST(InvariantQueues, ClassOfThePackets) {
  EXPECT_FOUND(spoil_queue([](CheckedRun& r, u32 q, Queue& queue) { r.packet(q, queue.sent).w2 ^= 3u << 30; }),
               "a packet is in another class's queue");
}

TEST(InvariantQueues, LimitOfTheClass) {
  EXPECT_FOUND(
      spoil_queue([](CheckedRun& r, u32, Queue& queue) { r.model.view.settings.limit_bytes[1] = queue.bytes - 1; }),
      "more than the limit of its class");
}

TEST(InvariantQueues, NothingIsOverdue) {
  CheckedRun run(incast_without_pfc());
  EXPECT_FOUND(run.spoil([](CheckedRun& r) {
    return r.any_nic_queue(1, [&](u32 q) {
      if (r.head(q) == r.model.view.queue[q].sent) return false;
      r.time_ps(q, r.head(q)) = r.done.next_ps - 1;
      return true;
    });
  }),
               "a packet that has arrived was not taken");
}

TEST(InvariantQueues, NothingWaitsBeforeItArrives) {
  EXPECT_FOUND(spoil_queue([](CheckedRun& r, u32 q, Queue& queue) { r.time_ps(q, queue.tail - 1) = r.done.to_ps; }),
               "a packet waits before it has arrived");
}

TEST(InvariantQueues, Positions) {
  EXPECT_FOUND(spoil_queue([](CheckedRun&, u32, Queue& queue) { queue.tail = queue.sent - 1; }),
               "queue positions are out of order");
  EXPECT_FOUND(spoil_queue([](CheckedRun& r, u32 q, Queue&) { r.model.view.head[r.done.parity][q] -= 1'000; }),
               "a queue position went back");
  EXPECT_FOUND(
      spoil_queue([](CheckedRun& r, u32 q, Queue& queue) { r.model.view.head[r.done.parity][q] = queue.sent; }),
      "a packet was taken in the tick in which it started");
  EXPECT_FOUND(spoil_queue([](CheckedRun&, u32, Queue& queue) { queue.tail += queue.ring.entries(); }),
               "a ring holds more than its entries");
}

TEST(InvariantQueues, SaysWhereAndWhen) {
  CheckedRun run(incast_without_pfc());
  std::string at;
  const std::string problem = run.spoil([&](CheckedRun& r) {
    return r.any_switch_queue(1, [&](u32 q) {
      if (r.model.view.queue[q].bytes == 0) return false;
      ++r.model.view.queue[q].bytes;
      at = "in the tick from " + std::to_string(r.done.from_ps) + " to " + std::to_string(r.done.to_ps) + " ps";
      return true;
    });
  });
  EXPECT_NE(problem.find("at port 0 of node 5:"), std::string::npos) << problem;
  EXPECT_NE(problem.find(at), std::string::npos) << problem;
}

}  // namespace
}  // namespace heddle
