// How collectives are cut into slices.
#include "host/scenario/workload/collective/slice_schedule.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Sums slice by slice, as the engine walks the schedule.
u64 walked_bytes(const SliceSchedule& schedule) {
  u64 sum = 0;
  for (u32 i = 0; i < schedule.total; ++i) {
    sum += i < schedule.full ? schedule.full_bytes : schedule.tail_bytes[(i - schedule.full) % schedule.tail_period];
  }
  return sum;
}

TEST(SliceSchedule, RingsCarryTheirBytesOncePerHop) {
  const JobOptions options;
  for (const u32 ranks : {2u, 3u, 8u, 17u}) {
    for (const u64 bytes : {u64{16}, u64{4096}, u64{1} << 20, u64{33'333'344}, u64{1} << 28}) {
      const u32 hops = 2 * (ranks - 1);
      const SliceCut cut = cut_ring(bytes, ranks, hops, Protocol::simple, options);
      const u64 carried = walked_bytes(cut.schedule);
      EXPECT_EQ(carried, bytes_of(cut.schedule));
      EXPECT_GE(carried * ranks, bytes * hops) << ranks << " " << bytes;
      EXPECT_LE(carried * ranks, bytes * hops + u64{16} * ranks * hops) << "rounding to 16 B only";
      EXPECT_EQ(cut.schedule.full % (hops * cut.slices_full), 0u);
      EXPECT_EQ((cut.schedule.total - cut.schedule.full) % (hops * cut.slices_tail), 0u);
      EXPECT_LE(cut.schedule.tail_bytes[0], options.slice_bytes);
      EXPECT_LE(cut.schedule.tail_bytes[1], cut.schedule.tail_bytes[0]);
    }
  }
}

/// ps per byte of a slice, flags included. In a tree of the simple protocol both directions share a channel.
TEST(SliceSchedule, ChannelEndsHaveTheirPartOfAChannel) {
  const CollectiveSettings settings{.channel_ps_per_byte_q16 = {50 << 16, 60 << 16, 64 << 16, 25 << 16}};
  const auto ps = [&](Algorithm algorithm, Protocol protocol, u32 gpus_per_server) {
    return channel_ps_per_byte_q16(settings, algorithm, protocol, gpus_per_server) / 65536.0;
  };
  for (const u32 gpus : {1u, 8u}) {
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::p2p, Algorithm::tree}) {
      EXPECT_EQ(ps(algorithm, Protocol::simple, gpus), algorithm == Algorithm::tree ? 100 : 50);
      EXPECT_EQ(ps(algorithm, Protocol::ll, gpus), 30) << "half of it is flags";
      EXPECT_EQ(ps(algorithm, Protocol::ll128, gpus), 60) << "a sixteenth of it is flags";
    }
  }
  EXPECT_EQ(ps(Algorithm::nvls, Protocol::simple, 8), 200);
  EXPECT_EQ(ps(Algorithm::nvls, Protocol::simple, 256), 6400);
  EXPECT_EQ(channel_ps_per_byte_q16({}, Algorithm::nvls, Protocol::simple, 8), 0u) << "no bound";
}

TEST(SliceSchedule, TailOfARing) {
  const JobOptions options;
  // 4 ranks: a full loop is 4 x 2 MiB; the rest of 4 x 100,000 B makes chunks of 100,000 B in two halves
  const SliceCut cut = cut_ring((u64{8} << 20) + 400'000, 4, 6, Protocol::simple, options);
  EXPECT_EQ(cut.schedule.full, 12u);
  EXPECT_EQ(cut.schedule.total, 24u);
  EXPECT_EQ(cut.schedule.tail_bytes[0], 50'000u);
  EXPECT_EQ(cut.schedule.tail_bytes[1], 50'000u);
  const SliceCut odd = cut_ring(4 * 80'016, 4, 3, Protocol::simple, options);
  EXPECT_EQ(odd.schedule.tail_bytes[0], 40'016u) << "the first half is rounded up to 16";
  EXPECT_EQ(odd.schedule.tail_bytes[1], 40'000u);
}

/// NCCL's genericOp: slices are at least 1/32 of a full one, and their number stays the same.
TEST(SliceSchedule, SmallChunksHaveAShortOrEmptySecondSlice) {
  const JobOptions options;
  const SliceCut between = cut_ring(4 * 40'000, 4, 3, Protocol::simple, options);
  EXPECT_EQ(between.schedule.tail_bytes[0], 32'768u);
  EXPECT_EQ(between.schedule.tail_bytes[1], 7'232u);
  const SliceCut small = cut_ring(4 * 32'768, 4, 3, Protocol::simple, options);
  EXPECT_EQ(small.slices_tail, 2u);
  EXPECT_EQ(small.schedule.total, 6u);
  EXPECT_EQ(small.schedule.tail_bytes[0], 32'768u);
  EXPECT_EQ(small.schedule.tail_bytes[1], 0u);
  JobOptions one;
  one.slices_per_chunk = 1;
  EXPECT_EQ(cut_ring(4 * 32'768, 4, 3, Protocol::simple, one).schedule.total, 3u);
}

TEST(SliceSchedule, HalvesDownToAVector) {
  JobOptions options;
  options.min_slice_bytes = 0;
  for (u64 bytes = 16; bytes < 4096; bytes += 16) {
    const SliceCut cut = cut_ring(bytes, 3, 4, Protocol::simple, options);
    EXPECT_GT(cut.schedule.tail_bytes[0], 0u);
    EXPECT_LE(cut.schedule.tail_bytes[0] - cut.schedule.tail_bytes[1], 16u) << bytes;
  }
}

TEST(SliceSchedule, AStreamIsSlicesAndARest) {
  const SliceSchedule schedule = cut_stream((u64{128} << 10) * 3 + 48, 128 << 10, Protocol::simple).schedule;
  EXPECT_EQ(schedule.total, 4u);
  EXPECT_EQ(schedule.full, 3u);
  EXPECT_EQ(walked_bytes(schedule), (u64{128} << 10) * 3 + 48);
  EXPECT_EQ(channel_bytes(100, 3), 48u);
}

/// LL has a flag for every 4 B; LL128 has one in 128 B.
TEST(SliceSchedule, FlagsTravelWithTheData) {
  EXPECT_EQ(bytes_with_flags(Protocol::simple, 1000), 1000u);
  EXPECT_EQ(bytes_with_flags(Protocol::ll, 1000), 2000u);
  EXPECT_EQ(bytes_with_flags(Protocol::ll, 1), 16u);
  EXPECT_EQ(bytes_with_flags(Protocol::ll128, 1200), 1280u);
  EXPECT_EQ(bytes_with_flags(Protocol::ll128, 1201), 1408u);
  EXPECT_EQ(bytes_with_flags(Protocol::ll128, 0), 0u);
}

TEST(SliceSchedule, LowLatencyProtocolsHaveOneSliceAChunkAndEightSlots) {
  const JobOptions options;
  const SliceCut ll = cut_ring(4 * (2 * 32'768 + 100), 4, 3, Protocol::ll, options);
  EXPECT_EQ(ll.slots, 8u);
  EXPECT_EQ(ll.slices_full, 1u);
  EXPECT_EQ(ll.schedule.full, 6u) << "two loops of three hops";
  EXPECT_EQ(ll.schedule.total, 9u);
  EXPECT_EQ(ll.schedule.full_bytes, 65'536u);
  EXPECT_EQ(ll.schedule.tail_bytes[0], 224u) << "112 B of data: 100 rounded up to 16";
  const SliceCut ll128 = cut_ring(4 * 576'000, 4, 3, Protocol::ll128, options);
  EXPECT_EQ(ll128.schedule.total, 3u);
  EXPECT_EQ(ll128.schedule.full_bytes, 614'400u) << "an eighth of NCCL's LL128 buffer";
  EXPECT_EQ(cut_ring(4 << 20, 4, 3, Protocol::simple, options).slots, 4u);
}

}  // namespace
}  // namespace heddle
