// Growable rings: contents survive growth, retired storage is reused from the next tick on, exhaustion is reported.
#include "kernels/state/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kernels/state/fifo.hpp"
#include "kernels/state/retired_rings.hpp"
#include "kernels/team/shuffled.hpp"

namespace heddle {
namespace {

/// A pool on the heap, with the engine's work between two ticks.
class TestPool {
 public:
  explicit TestPool(u64 capacity)
      : packets_(capacity),
        times_(capacity),
        free_(u64{kRingClasses} * kFreeStackEntries),
        retired_(free_.size()),
        free_count_(kRingClasses),
        retired_count_(kRingClasses) {
    pool.packet = packets_.data();
    pool.time_ps = times_.data();
    pool.capacity = capacity;
    pool.top = &top_;
    pool.charged = &charged_;
    pool.free_base = free_.data();
    pool.free_count = free_count_.data();
    pool.retired_base = retired_.data();
    pool.retired_count = retired_count_.data();
    pool.exhausted = &exhausted_;
  }
  /// Rings that were retired in this tick may be handed out from now on.
  void next_tick() {
    u32 first[kRingClasses + 1];
    merge_retired_rings(Serial(nullptr), pool, first);
  }
  u64 top() const { return top_; }
  bool exhausted() const { return exhausted_ != 0; }

  RingPool pool;

 private:
  std::vector<Packet> packets_;
  std::vector<TimePs> times_;
  std::vector<u32> free_, retired_;
  std::vector<i32> free_count_, retired_count_;
  u64 top_ = 0, charged_ = 0;
  u32 exhausted_ = 0;
};

/// State elsewhere and rings share one limit, whichever comes first.
TEST(Ring, WhatIsChargedIsNotHandedOut) {
  constexpr u64 kEntryBytes = sizeof(Packet) + sizeof(TimePs);
  TestPool first(64), second(64);
  charge_memory(first.pool, 40 * kEntryBytes - 5);
  EXPECT_EQ(take_ring(first.pool, 4).base, 0u) << "no hole is left in the pool";
  EXPECT_FALSE(first.exhausted());
  EXPECT_EQ(take_ring(first.pool, 4).mask, 0u) << "40 + 16 + 16 entries";
  EXPECT_TRUE(first.exhausted());
  take_ring(second.pool, 5);
  charge_memory(second.pool, 32 * kEntryBytes);
  EXPECT_FALSE(second.exhausted());
  charge_memory(second.pool, 1);
  EXPECT_TRUE(second.exhausted());
}

TEST(Ring, GrowsAndKeepsItsContents) {
  TestPool t(1 << 12);
  Fifo fifo;
  TimePs due_ps = kNever;
  fifo.head = fifo.tail = 0xfffffff0u;  // positions wrap around 2^32
  u32 pushed = 0, popped = 0;
  for (u32 round = 0; round < 40; ++round) {
    for (u32 i = 0; i < 17; ++i, ++pushed) fifo_push(t.pool, fifo, due_ps, Packet{pushed, 0, 0, 0}, pushed);
    for (u32 i = 0; i < 11; ++i, ++popped) {
      ASSERT_EQ(fifo_due_ps(t.pool, fifo), TimePs{popped});
      ASSERT_EQ(due_ps, TimePs{popped});
      ASSERT_EQ(fifo_pop(t.pool, fifo, due_ps).w0, popped);
    }
  }
  EXPECT_EQ(fifo.ring.entries(), 256u) << "40 * 6 entries are left";
  for (; popped < pushed; ++popped) ASSERT_EQ(fifo_pop(t.pool, fifo, due_ps).w0, popped);
  EXPECT_TRUE(fifo.empty());
  EXPECT_EQ(fifo_due_ps(t.pool, fifo), kNever);
  EXPECT_EQ(due_ps, kNever);
}

/// Items by their due times, equal ones in order of insertion, over positions that wrap around and a ring that grows.
TEST(Ring, InsertedItemsAreInOrderOfTime) {
  TestPool t(1 << 12);
  Fifo fifo;
  TimePs due_ps = kNever;
  fifo.head = fifo.tail = 0xfffffff0u;
  std::multimap<TimePs, u32> expected;  // keeps equal keys in order of insertion
  for (u32 i = 0; i < 100; ++i) {
    const TimePs due = 10 + i * 7 % 12;
    fifo_insert(t.pool, fifo, due_ps, Packet{i, 0, 0, 0}, due);
    expected.emplace(due, i);
    ASSERT_EQ(due_ps, expected.begin()->first);
    ASSERT_EQ(due_ps, fifo_due_ps(t.pool, fifo));
    if (i % 3 != 2) continue;
    ASSERT_EQ(fifo_pop(t.pool, fifo, due_ps).w0, expected.begin()->second);
    expected.erase(expected.begin());
  }
  for (const auto& [due, item] : expected) {
    ASSERT_EQ(due_ps, due);
    ASSERT_EQ(fifo_pop(t.pool, fifo, due_ps).w0, item);
  }
  EXPECT_EQ(due_ps, kNever);
}

TEST(Ring, AnItemThatFindsNoMemoryIsNotInserted) {
  TestPool t(8);
  Fifo fifo;
  TimePs due_ps = kNever;
  for (u32 i = 0; !t.exhausted(); ++i) {
    ASSERT_LT(i, 9u);
    fifo_insert(t.pool, fifo, due_ps, Packet{i, 0, 0, 0}, 100 - TimePs{i});
  }
  EXPECT_EQ(fifo_pop(t.pool, fifo, due_ps).w0, fifo.tail - 1) << "the last one that fitted";
}

TEST(Ring, RetiredStorageIsUsedAgainInTheNextTick) {
  TestPool t(1 << 12);
  Ring first = take_ring(t.pool, 4);
  retire_ring(t.pool, first);
  const Ring second = take_ring(t.pool, 4);
  EXPECT_NE(second.base, first.base) << "its consumer may still be reading it";
  t.next_tick();
  const Ring third = take_ring(t.pool, 4);
  EXPECT_EQ(third.base, first.base);
  const u64 top = t.top();
  EXPECT_EQ(take_ring(t.pool, 5).base, top) << "another size: from the top";
}

/// Records how much of a verb is done by one lane.
class Noting : public Shuffled {
 public:
  explicit Noting(u32& max_calls) : Shuffled(nullptr, nullptr, 7), max_calls_(max_calls) {}
  template <class F>
  void each(u32 n, const F& f) const {
    max_calls_ = std::max(max_calls_, n);
    Shuffled::each(n, f);
  }

 private:
  u32& max_calls_;
};

/// Retired rings are moved by every lane of a group, in the order in which they were retired, behind the free ones.
TEST(Ring, ManyRetiredOnesAreMovedByAllLanes) {
  constexpr u32 kMany = 5000;
  TestPool t(1 << 18);
  std::vector<Ring> small, large;
  for (u32 i = 0; i < kMany; ++i) {
    small.push_back(take_ring(t.pool, 3));
    if (i % 5 == 0) large.push_back(take_ring(t.pool, 5));
  }
  retire_ring(t.pool, small[0]);
  t.next_tick();
  for (u32 i = 1; i < kMany; ++i) retire_ring(t.pool, small[i]);
  for (const Ring& ring : large) retire_ring(t.pool, ring);
  ASSERT_TRUE(any_retired(t.pool));
  u32 first[kRingClasses + 1], max_calls = 0;
  merge_retired_rings(Noting(max_calls), t.pool, first);
  EXPECT_EQ(max_calls, kRingClasses) << "a lane has a size at the most, beside the rings that it moves";
  EXPECT_FALSE(any_retired(t.pool));
  for (u32 i = kMany; i-- > 0;) EXPECT_EQ(take_ring(t.pool, 3).base, small[i].base);
  for (u32 i = kMany / 5; i-- > 0;) EXPECT_EQ(take_ring(t.pool, 5).base, large[i].base);
}

/// A caller that finds no free ring leaves the count below zero.
TEST(Ring, ACountBelowZeroIsNoneFree) {
  TestPool t(1 << 12);
  const Ring ring = take_ring(t.pool, 4);
  retire_ring(t.pool, ring);
  t.next_tick();
  for (int i = 0; i < 3; ++i) take_ring(t.pool, 4);
  t.pool.free_count[4 - kSmallestRingLog2] = -2;
  ASSERT_TRUE(any_retired(t.pool));
  retire_ring(t.pool, ring);
  t.next_tick();
  EXPECT_EQ(t.pool.free_count[4 - kSmallestRingLog2], 1);
  EXPECT_EQ(take_ring(t.pool, 4).base, ring.base);
}

/// A ring beyond the capacity of the stack of free rings is lost until the end.
TEST(Ring, AFullStackTakesNoMore) {
  TestPool t(1 << 12);
  const u32 size_class = 4 - kSmallestRingLog2;
  t.pool.free_count[size_class] = kFreeStackEntries - 1;
  const Ring ring = take_ring(t.pool, 6);
  for (u32 base : {16u, 32u}) retire_ring(t.pool, {base, 15});
  retire_ring(t.pool, ring);
  t.next_tick();
  EXPECT_EQ(t.pool.free_count[size_class], static_cast<i32>(kFreeStackEntries));
  EXPECT_EQ(take_ring(t.pool, 4).base, 16u);
  EXPECT_EQ(take_ring(t.pool, 6).base, ring.base);
}

TEST(Ring, GrowsAtOnceToWhatIsAskedFor) {
  TestPool t(1 << 12);
  Ring ring;
  grow_ring(t.pool, ring, 0, 0, 100);
  EXPECT_EQ(ring.entries(), 128u);
  grow_ring(t.pool, ring, 0, 100, 129);
  EXPECT_EQ(ring.entries(), 256u);
}

TEST(Ring, ExhaustionIsReported) {
  TestPool t(64);
  Ring ring = take_ring(t.pool, 5);
  EXPECT_FALSE(t.exhausted());
  const Ring before = ring;
  grow_ring(t.pool, ring, 0, 32, 33);
  EXPECT_TRUE(t.exhausted());
  EXPECT_EQ(ring.base, before.base) << "nothing is moved";
}

TEST(Ring, NoRingIsLargerThanTheLargestClass) {
  for (const u32 packets : {(1u << 29) + 1, 0x80000001u}) {
    TestPool t(64);
    t.pool.capacity = u64{1} << 33;  // none of it is touched: an empty ring has nothing to move
    Ring ring;
    grow_ring(t.pool, ring, 0, 0, packets);
    EXPECT_TRUE(t.exhausted());
    EXPECT_EQ(ring.entries(), 0u);
  }
  TestPool t(64);
  t.pool.capacity = u64{1} << 33;
  Ring ring;
  grow_ring(t.pool, ring, 0, 0, 1u << 29);
  EXPECT_FALSE(t.exhausted());
  EXPECT_EQ(ring.entries(), 1u << 29);
}

}  // namespace
}  // namespace heddle
