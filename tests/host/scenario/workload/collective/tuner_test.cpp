// The tuner against NCCL's own values (its model is a closed form, so its values can be worked out by hand).
#include "host/scenario/workload/collective/tuner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

TunerInput h100(u32 ranks, u64 bytes) {
  return {.bytes = bytes, .ranks = ranks, .gpus_per_server = 8, .channels = 8, .nic_GBps = 50, .nvlink_GBps = 370};
}

Estimate of(const TunerInput& input, Algorithm algorithm, Protocol protocol) {
  for (const Estimate& e : estimates(input)) {
    if (e.algorithm == algorithm && e.protocol == protocol) return e;
  }
  ADD_FAILURE();
  return {};
}

/// The best estimate without NVLS, which is used only on request.
Estimate best(const TunerInput& input) {
  std::vector<Estimate> all = estimates(input);
  std::erase_if(all, [](const Estimate& e) { return e.algorithm == Algorithm::nvls; });
  return std::ranges::min(all, {}, &Estimate::time_us);
}

/// 512 ranks in 64 servers: 1,022 hops, 126 of them over the network.
TEST(Tuner, LatenciesOfManyRanks) {
  const TunerInput input = h100(512, 8);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 896 * 0.6 * 1.8 + 126 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll128).latency_us, 14 + 896 * 1.9 + 126 * 4.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).latency_us, 8.4 + 896 * 3.4 + 126 * 15.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::tree, Protocol::ll).latency_us, 6.8 + 2 * (7 * 0.6 * 1.8 + 6 * 5.0), 0.1);
}

/// 25 us inside a server; over 64 servers 6 levels up and down. NICs carry 400 GB/s, the switches more.
TEST(Tuner, InTheSwitch) {
  EXPECT_NEAR(of(h100(8, 8), Algorithm::nvls, Protocol::simple).latency_us, 25, 0.01);
  EXPECT_NEAR(of(h100(512, 8), Algorithm::nvls, Protocol::simple).latency_us, 25 + 12 * 20.9, 0.01);
  EXPECT_NEAR(of(h100(8, 8), Algorithm::nvls, Protocol::simple).algbw_GBps, 314.5 * 15 / 16 * 2 * 8 / 14, 0.1);
  EXPECT_NEAR(of(h100(512, 8), Algorithm::nvls, Protocol::simple).algbw_GBps, 370 * 512.0 / 1022, 0.1);
  TunerInput alone = h100(64, 8);
  alone.gpus_per_server = 1;
  EXPECT_EQ(estimates(alone).size(), 2 * kProtocols) << "no switch in servers of one GPU";
}

TEST(Tuner, SmallGoesByTreesLargeByRings) {
  EXPECT_EQ(best(h100(512, 8)).algorithm, Algorithm::tree);
  EXPECT_EQ(best(h100(512, 8)).protocol, Protocol::ll);
  EXPECT_EQ(best(h100(512, 1 << 20)).algorithm, Algorithm::tree);
  EXPECT_EQ(best(h100(512, u64{64} << 30)).algorithm, Algorithm::ring);
  EXPECT_EQ(best(h100(512, u64{64} << 30)).protocol, Protocol::simple);
}

TEST(Tuner, OthersThanAllReduceHaveRingsOnly) {
  TunerInput input = h100(64, 1 << 20);
  input.kind = CollectiveKind::all_gather;
  EXPECT_EQ(estimates(input).size(), kProtocols);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 56 * 0.6 * 1.8 + 7 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).algbw_GBps, 370 * 64.0 / 63, 0.1) << "8 NICs carry more";
}

/// Every rank forwards all of a broadcast.
TEST(Tuner, ChainsTakeAHopForEachRank) {
  TunerInput input = h100(16, 8);
  input.kind = CollectiveKind::broadcast;
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 16 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).latency_us, 8.4 + 16 * 14.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).algbw_GBps, 370, 0.1);
}

/// NCCL corrects trees of up to 2^23 times 64 B.
TEST(Tuner, VeryLargeTreesAreNotCorrected) {
  EXPECT_NEAR(of(h100(512, u64{512} << 20), Algorithm::tree, Protocol::simple).algbw_GBps, 340.4 / 2 * 0.9, 0.1);
  EXPECT_NEAR(of(h100(512, u64{1} << 30), Algorithm::tree, Protocol::simple).algbw_GBps, 340.4 / 2, 0.1);
}

TEST(Tuner, SmallSizesAreNoTrap) {
  for (const u64 bytes : {1u, 63u, 64u, 65u}) {
    for (const u32 ranks : {8u, 16u, 24u}) {
      for (const Estimate& e : estimates(h100(ranks, bytes))) {
        EXPECT_GT(e.time_us, 0);
        EXPECT_LT(e.time_us, 1e6);
      }
    }
  }
}

}  // namespace
}  // namespace heddle
