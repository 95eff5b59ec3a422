// The tuner against NCCL's own values (its model is a closed form, so its values can be worked out by hand).
#include "host/scenario/workload/collective/tuner.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "io/results/bandwidth.hpp"

namespace heddle {
namespace {

/// Servers of 8 H100 with 8 x 400G.
TunerInput h100(u32 ranks, u64 bytes) {
  return {.bytes = bytes,
          .ranks = ranks,
          .gpus_per_server = 8,
          .channels = 16,
          .nics = 8,
          .nvlink_GBps = 370.8,
          .nvls_GBps = 0.85 * 370.8};
}

/// Servers of 8 A100 with `nics` x 200G.
TunerInput a100(u32 ranks, u32 nics) {
  return {.ranks = ranks,
          .gpus_per_server = 8,
          .channels = 2 * nics,
          .nics = nics,
          .nic_GBps = 25,
          .nvlink_GBps = 240,
          .gpu = "ampere"};
}

Estimate of(const TunerInput& input, Algorithm algorithm, Protocol protocol) {
  for (const Estimate& e : estimates(input)) {
    if (e.algorithm == algorithm && e.protocol == protocol) return e;
  }
  ADD_FAILURE();
  return {};
}

/// The choices of sizes from 8 B to 16 GiB in powers of two, each with the first size that takes it.
std::string choices(TunerInput input, bool nvls = true) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB"};
  std::string all, before;
  for (u32 log2 = 3; log2 <= 34; ++log2) {
    input.bytes = u64{1} << log2;
    std::vector<Estimate> possible = estimates(input);
    if (!nvls) std::erase_if(possible, [](const Estimate& e) { return e.algorithm == Algorithm::nvls; });
    const Estimate best = std::ranges::min(possible, {}, &Estimate::time_us);
    const std::string now = fmt::format("{} {}", algorithm_name(best.algorithm), protocol_name(best.protocol));
    if (now != before)
      all += fmt::format("{}{} {}: {}", all.empty() ? "" : ", ", 1 << log2 % 10, units[log2 / 10], now);
    before = now;
  }
  return all;
}

/// What each version takes, by number of servers.
TEST(Tuner, ChoosesByVersionAndMachine) {
  struct Case {
    const char* nccl;
    u32 servers;
    const char* expected;
  };
  const Case cases[] = {
      {"v2.19", 1, "8 B: ring ll, 512 KiB: nvls simple"},
      {"v2.19", 2, "8 B: tree ll, 256 KiB: tree ll128, 512 KiB: nvls simple"},
      {"v2.19", 4, "8 B: tree ll, 256 KiB: tree ll128, 2 MiB: nvls simple, 128 MiB: ring ll128, 256 MiB: ring simple"},
      {"v2.19", 64, "8 B: tree ll, 256 KiB: tree ll128, 32 MiB: nvls simple, 1 GiB: tree simple, 4 GiB: ring simple"},
      {"v2.26", 1, "8 B: ring ll, 2 MiB: nvls simple"},
      {"v2.26", 2, "8 B: tree ll, 256 KiB: tree ll128, 1 MiB: nvls simple"},
      {"v2.26", 4, "8 B: tree ll, 256 KiB: tree ll128, 2 MiB: nvls simple, 512 MiB: ring simple"},
      {"v2.26", 8, "8 B: tree ll, 256 KiB: tree ll128, 8 MiB: nvls simple, 1 GiB: ring simple"},
      // NCCL's log in its issue 1752 (512 H200): 16 MiB TREE LL128, 32 MiB NVLS_TREE SIMPLE
      {"v2.26", 64, "8 B: tree ll, 256 KiB: tree ll128, 32 MiB: nvls simple, 8 GiB: ring simple"},
      {"v2.30", 2, "8 B: tree ll, 256 KiB: tree ll128, 4 MiB: nvls simple"},
      {"v2.30", 4, "8 B: tree ll, 256 KiB: tree ll128, 16 MiB: nvls simple, 512 MiB: ring simple"},
      {"v2.30", 8, "8 B: tree ll, 256 KiB: tree ll128, 32 MiB: nvls simple, 1 GiB: ring simple"},
      {"v2.30", 64, "8 B: tree ll, 256 KiB: tree ll128, 64 MiB: nvls simple, 8 GiB: ring simple"},
  };
  for (const Case& c : cases) {
    TunerInput input = h100(8 * c.servers, 0);
    input.nccl = c.nccl;
    EXPECT_EQ(choices(input), c.expected) << c.nccl << ", servers: " << c.servers;
  }
}

TEST(Tuner, ChoosesByGpuCpuAndNics) {
  EXPECT_EQ(choices(a100(16, 8)),
            "8 B: tree ll, 256 KiB: ring ll, 512 KiB: tree ll128, 16 MiB: ring ll128, 64 MiB: ring simple");
  EXPECT_EQ(choices(a100(16, 4)), "8 B: tree ll, 128 KiB: ring ll, 2 MiB: ring ll128, 32 MiB: ring simple");
  EXPECT_EQ(choices(h100(16, 0), false), "8 B: tree ll, 256 KiB: tree ll128, 32 MiB: ring ll128, 128 MiB: ring simple");
  TunerInput amd = h100(64, 0);
  amd.cpu = "amd";
  EXPECT_EQ(choices(amd), "8 B: tree ll, 256 KiB: tree ll128, 8 MiB: nvls simple, 2 GiB: ring simple");
}

/// 512 ranks in 64 servers: 1,022 hops, 126 of them over the network. A hop inside costs the proxy 1 us, or 2 us.
TEST(Tuner, LatenciesOfManyRanks) {
  TunerInput input = h100(512, 8);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 896 * 1.0 + 126 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll128).latency_us, 14 + 896 * 1.9 + 126 * 4.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).latency_us, 8.4 + 896 * 3.4 + 126 * 14.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::tree, Protocol::ll).latency_us, 6.8 + 2 * (7 * 0.6 + 6 * 5.0), 0.1);
  input.cpu = "amd";
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 896 * 2.0 + 126 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).latency_us, 8.4 + 896 * 6.0 + 126 * 14.0, 0.1);
  input.nccl = "v2.19";  // counts one more hop over the network each way
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).latency_us, 8.4 + 894 * 6.0 + 128 * 14.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::tree, Protocol::simple).latency_us, 2 * (7 * 28 + 6 * 28), 0.1);
}

/// With one GPU in each server, a ring has the network latency of a tree, from 2.26 on.
TEST(Tuner, OneGpuPerServerHidesNoLatency) {
  TunerInput input = h100(64, 8);
  input.gpus_per_server = input.nics = 1;
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 126 * 5.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll128).algbw_GBps, 0.92 * 48 * 64 / 126, 0.1);
  input.nccl = "v2.19";
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 - 2 * 1.0 + 128 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll128).algbw_GBps, 48 * 0.7 * 64 / 126, 0.1);
}

/// The graph has a channel for each NIC: 8 of 48 GB/s, of which a tree's take at most 41.4 between two servers.
TEST(Tuner, BandwidthsAreOfTheGraphsChannels) {
  EXPECT_NEAR(of(h100(16, 8), Algorithm::ring, Protocol::simple).algbw_GBps, 8 * 48 * 16.0 / 30, 0.1);
  EXPECT_NEAR(2 * of(h100(16, u64{1} << 30), Algorithm::tree, Protocol::simple).algbw_GBps, 8 * 41.4, 0.1);
  EXPECT_NEAR(2 * of(h100(24, u64{1} << 30), Algorithm::tree, Protocol::simple).algbw_GBps, 8 * 36.0, 0.1);
  EXPECT_NEAR(of(h100(16, 8), Algorithm::ring, Protocol::ll).algbw_GBps, 39.0 * 16 / 30, 0.1) << "Intel";
  EXPECT_NEAR(of(h100(8, 8), Algorithm::ring, Protocol::ll).algbw_GBps, 141.0 * 8 / 14, 0.1) << "Hopper";
  EXPECT_NEAR(of(h100(8, 8), Algorithm::ring, Protocol::simple).algbw_GBps, 370.8 * 8 / 14, 0.1);
  EXPECT_NEAR(of(a100(8, 8), Algorithm::ring, Protocol::ll128).algbw_GBps, 0.92 * 240 * 8 / 14, 0.1);
  TunerInput few = h100(16, 8);
  few.nics = 4;  // cut into 8 channels of 24 GB/s, so that 41.4 is no bound
  EXPECT_NEAR(2 * of(few, Algorithm::tree, Protocol::simple).algbw_GBps, 0.92 * 4 * 48, 0.1);
  few.nics = 5;  // not cut
  EXPECT_NEAR(2 * of(few, Algorithm::tree, Protocol::simple).algbw_GBps, 5 * 41.4, 0.1);
  TunerInput fast = h100(16, 8);
  fast.nic_GBps = 100;  // two channels of 48 GB/s: NVLink passes on 7 of 8 rings
  EXPECT_NEAR(of(fast, Algorithm::ring, Protocol::simple).algbw_GBps, 370.8 * 8 / 7 * 16 / 30, 0.1);
}

/// The switch's channels are 16 of 20 GB/s, as 370.8 / 16 is less than 24; inside they run at 0.85 of twice that.
TEST(Tuner, InTheSwitch) {
  const auto nvls = [](const TunerInput& input) { return of(input, Algorithm::nvls, Protocol::simple); };
  EXPECT_NEAR(nvls(h100(8, 8)).latency_us, 25, 0.01);
  EXPECT_NEAR(nvls(h100(512, 8)).latency_us, 25 + 12 * 14.0, 0.01);
  EXPECT_NEAR(nvls(h100(8, 8)).algbw_GBps, 16 * 20 * 0.85 * 15 / 16 * 2 * 8 / 14, 0.1);
  EXPECT_NEAR(nvls(h100(512, 8)).algbw_GBps, 16 * 20 * 512.0 / 1022, 0.1);
  TunerInput input = h100(512, 8);
  input.nccl = "v2.30";
  EXPECT_NEAR(nvls(input).latency_us, 25 + 12 * 20.9, 0.01);
  input.nccl = "v2.19";
  EXPECT_NEAR(nvls(input).latency_us, 23 + 12 * 14.0, 0.01);
  EXPECT_NEAR(nvls(input).algbw_GBps, 16 * 20 / 2 * 5.0 / 6, 0.1) << "half beyond two servers";
  for (const u32 gpus : {1u, 2u, 512u}) {
    TunerInput alone = h100(512, 8);
    alone.gpus_per_server = gpus;
    EXPECT_EQ(estimates(alone).size(), 2 * kProtocols) << "no switch joins servers of " << gpus << " GPUs";
  }
}

TEST(Tuner, OthersThanAllReduceHaveRingsOnly) {
  TunerInput input = h100(64, 1 << 20);
  input.kind = CollectiveKind::all_gather;
  EXPECT_EQ(estimates(input).size(), kProtocols);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 56 * 1.0 + 7 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).algbw_GBps, 8 * 48 * 64.0 / 63, 0.1);
}

/// Every rank forwards all of a broadcast.
TEST(Tuner, ChainsTakeAHopForEachRank) {
  TunerInput input = h100(16, 8);
  input.kind = CollectiveKind::broadcast;
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::ll).latency_us, 6.6 + 16 * 2.7, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).latency_us, 8.4 + 16 * 14.0, 0.1);
  EXPECT_NEAR(of(input, Algorithm::ring, Protocol::simple).algbw_GBps, 8 * 48, 0.1);
}

/// NCCL corrects trees below 2^23 times 64 B.
TEST(Tuner, VeryLargeTreesAreNotCorrected) {
  EXPECT_NEAR(of(h100(512, u64{256} << 20), Algorithm::tree, Protocol::simple).algbw_GBps, 8 * 36 / 2 * 0.9, 0.1);
  EXPECT_NEAR(of(h100(512, u64{512} << 20), Algorithm::tree, Protocol::simple).algbw_GBps, 8 * 36 / 2, 0.1);
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
