// How a stream of slices is spread over queue pairs: sizes, parts, messages (MODEL.md, 9.3).
#include "kernels/transport/streams.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

SliceSchedule two_halves_schedule() {
  SliceSchedule schedule;
  schedule.total = 9;
  schedule.full = 4;
  schedule.full_bytes = 1000;
  schedule.tail_period = 2;
  schedule.tail_bytes[0] = 48;
  schedule.tail_bytes[1] = 32;
  return schedule;
}

TEST(Slices, FullThenTailsInTurn) {
  const SliceSchedule schedule = two_halves_schedule();
  const u32 expected[] = {1000, 1000, 1000, 1000, 48, 32, 48, 32, 48};
  for (u32 i = 0; i < schedule.total; ++i) EXPECT_EQ(slice_bytes(schedule, i), expected[i]) << i;
}

TEST(Slices, OneTail) {
  SliceSchedule schedule = two_halves_schedule();
  schedule.tail_period = 1;
  for (u32 i = schedule.full; i < schedule.total; ++i) EXPECT_EQ(slice_bytes(schedule, i), 48u);
}

TEST(Slices, PartsAre128ByteMultiplesAndAddUp) {
  EXPECT_EQ(part_bytes(1 << 20, 4, 0), u32{1} << 18);
  EXPECT_EQ(part_bytes(1000, 4, 0), 256u);
  EXPECT_EQ(part_bytes(1000, 4, 3), 232u) << "the last is shorter";
  EXPECT_EQ(part_bytes(129, 4, 0), 128u);
  EXPECT_EQ(part_bytes(129, 4, 1), 1u);
  EXPECT_EQ(part_bytes(129, 4, 2), 0u) << "which is a message, too";
  for (u32 parts : {1u, 2u, 3u, 4u, 16u}) {
    for (u32 bytes : {0u, 1u, 127u, 128u, 129u, 4095u, 131'072u, 1'048'576u}) {
      ConnectionPlan c;
      c.split = true;
      c.qps = parts;
      u32 sum = 0;
      for (u32 i = 0; i < parts; ++i) sum += part_bytes(bytes, parts, i);
      EXPECT_EQ(sum, bytes);
      EXPECT_EQ(parts_of(c), parts);
    }
  }
}

TEST(Slices, RoundRobinGivesEveryQpWholeSlicesInTurn) {
  ConnectionPlan c;
  c.qps = 4;
  EXPECT_EQ(parts_of(c), 1u);
  EXPECT_EQ(slice_of(c, 0, 3), 3u);
  EXPECT_EQ(slice_of(c, 2, 1), 9u);
  c.split = true;
  EXPECT_EQ(slice_of(c, 2, 1), 2u);
}

TEST(Slices, StreamsStartAtTheCollectivesFirstSlice) {
  const SliceSchedule schedule = two_halves_schedule();
  ConnectionPlan c;
  c.qps = 2;
  EXPECT_EQ(stream_bytes(c, schedule, 10, 5, 0), 1000u) << "message 5 of QP 0 is slice 10, the first";
  EXPECT_EQ(stream_bytes(c, schedule, 10, 7, 0), 48u) << "slice 14, the first tail";
}

TEST(Slices, PacketsOfAMessage) {
  EXPECT_EQ(packets_of(4096, 0), 1u) << "an empty one is a packet, too";
  EXPECT_EQ(packets_of(4096, 1), 1u);
  EXPECT_EQ(packets_of(4096, 4096), 1u);
  EXPECT_EQ(packets_of(4096, 4097), 2u);
  EXPECT_EQ(packets_of(4096, 1 << 20), 256u);
}

}  // namespace
}  // namespace heddle
