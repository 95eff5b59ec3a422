// Ring all-reduce by the alpha-beta law (Hockney 1994; Thakur, Rabenseifner and Gropp 2005): 2(n-1) steps one after the
// other, each of one chunk, T(n, B) = 2(n-1) (alpha + chunk * beta), chunk = B / n. The coefficients come from the
// configuration:
//   alpha  a step's fixed costs: the post of a copy, the proxy that sees it, both latencies, the first packet's
//          serialisation on the second link (store and forward), the proxy that notices the arrival, the flush
//   beta   per byte: the wire, headers included, and the copy at the GPU
// and once per collective: the launch; the first send waits for its CTS (or its copy to be seen, if that is longer),
// the end for the last ACK (or the last flush and copy). What the law leaves out are ACKs that share a link with data
// (106 B for 16 packets).
//
// Large messages are cut into slices that follow each other through the ring: a step's alpha then hides behind other
// slices and T(n, B) = 2(n-1)/n * B * beta_wire, the bandwidth bound (Patarasuk and Yuan 2009).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/units.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::theory {
namespace {

using acceptance::path_ps;
using acceptance::run_engine;
using acceptance::some_path;
using acceptance::world_of;

constexpr u32 kWire = 4096 + 102;

/// One GPU per server on one switch.
World ring_world(u32 ranks, u64 bytes, u32 channels, u32 slices_per_chunk, u64 host_gbps, u32 channel_GBps = 0) {
  return world_of(
      fmt::format("[topology]\nkind = 'star'\nhosts = {}\n[link]\nhost_rate = '{} Gb/s'\n[collective]\nchannel_rate = "
                  "'{} GB/s'\n[[job]]\ngpus = {}\n"
                  "gpus_per_server = 1\nalgorithm = 'ring'\nprotocol = 'simple'\nchannels = {}\nslices_per_chunk = "
                  "{}\n[[job.collective]]\n"
                  "kind = 'all_reduce'\nsizes = [{}]\n",
                  ranks, host_gbps, channel_GBps, ranks, channels, slices_per_chunk, bytes));
}

double measured_ps(const World& world) {
  const Outcome outcome = run_engine(world);
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  const CollectiveOutcome& c = outcome.collectives.at(0);
  return static_cast<double>(c.last_finish_ps - c.first_enter_ps);
}

struct Coefficients {
  double alpha_ps, beta_ps_per_byte, once_ps;
};

/// Computes the coefficients from the configuration alone; nothing is fitted.
Coefficients coefficients_of(const World& world, u64 chunk_bytes) {
  const std::vector<LinkId> path = some_path(world, 0, 1);
  const double wire = world.fabric.links[path[0]].ps_per_byte_q16 / 65536.0;
  const CollectivePlan& plan = world.collectives;
  const double copy =
      std::max(plan.settings.copy_ps_per_byte_q16, plan.collectives[0].channel_ps_per_byte_q16) / 65536.0;
  const double proxy = static_cast<double>(world.roce.proxy_latency_ps);
  const double post = static_cast<double>(world.collectives.settings.post_latency_ps[0]) + proxy;
  const double flush = static_cast<double>(world.collectives.settings.flush_latency_ps);
  const double chunk = static_cast<double>(chunk_bytes);
  const double first_packet = std::min(chunk, 4096.0) + 118;
  // Headers of whole packets count per byte; a chunk of less than a packet has one header.
  const double headers_per_byte = chunk >= 4096 ? 102.0 / 4096 : 0, other_headers = chunk >= 4096 ? 16 : 118;
  const double cts = static_cast<double>(path_ps(world, path, 182)),
               ack = static_cast<double>(path_ps(world, path, 106));
  const double network = static_cast<double>(path_ps(world, path, 0)) + (first_packet + other_headers) * wire;
  return {.alpha_ps = post + network + proxy + flush,
          .beta_ps_per_byte = wire * (1 + headers_per_byte) + copy,
          .once_ps = static_cast<double>(world.collectives.settings.launch_latency_ps) +
                     std::max(proxy + cts, chunk * copy + post) + std::max(ack, flush + chunk * copy) -
                     (chunk * copy + post + flush)};
}

class AlphaBeta : public testing::TestWithParam<u32> {};

TEST_P(AlphaBeta, OneSlicePerStep) {
  const u32 n = GetParam();
  const double steps = 2.0 * (n - 1);
  for (const auto& [gbps, channel_GBps] : {std::pair{100u, 0u}, {400u, 0u}, {400u, 20u}}) {
    for (const u64 chunk_bytes : {64u, 1024u, 4096u, 16'384u, 131'072u, 524'288u, 1'048'576u}) {
      const World world = ring_world(n, chunk_bytes * n, 1, 1, gbps, channel_GBps);
      const Coefficients c = coefficients_of(world, chunk_bytes);
      const double law_ps = c.once_ps + steps * (c.alpha_ps + static_cast<double>(chunk_bytes) * c.beta_ps_per_byte);
      const double ps = measured_ps(world);
      std::printf("  n %2u, %3uG, channel %2u GB/s, chunk %7u B: %10.3f us, law %+.3f %%\n", n, gbps, channel_GBps,
                  static_cast<u32>(chunk_bytes), ps / 1e6, 100 * (law_ps / ps - 1));
      EXPECT_NEAR(law_ps / ps, 1, 0.005) << gbps << "G, " << channel_GBps << " GB/s, chunk " << chunk_bytes;
    }
  }
}

class BandwidthBound : public testing::TestWithParam<u32> {};

/// busbw of each NIC between 46 and 48.79 GB/s, which is 97.57 % of 50 GB/s.
TEST_P(BandwidthBound, ManySlicesHideLatency) {
  const u32 n = GetParam();
  for (const u64 mib_per_rank : {16u, 64u}) {
    const u64 bytes = mib_per_rank * n << 20;
    const World world = ring_world(n, bytes, 2, 2, 400);
    const double bound_ps = 2.0 * (n - 1) / n * static_cast<double>(bytes) * 20 * kWire / 4096;
    const double ps = measured_ps(world);
    const double busbw = static_cast<double>(bytes) / (ps / 1000) * 2 * (n - 1) / n;  // GB/s
    std::printf("  n %2u, %4u MiB: %9.1f us, bound %+.2f %%, busbw %.2f GB/s\n", n, static_cast<u32>(bytes >> 20),
                ps / 1e6, 100 * (bound_ps / ps - 1), busbw);
    EXPECT_GE(busbw, 46.0);
    EXPECT_GE(ps, bound_ps) << "no goodput above the wire's";
    // Two ranks have little to do while they wait for each other.
    EXPECT_LE(ps, (n == 2 ? 1.07 : 1.03) * bound_ps);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, AlphaBeta, testing::Values(2, 3, 4, 8, 16, 32));
INSTANTIATE_TEST_SUITE_P(Ranks, BandwidthBound, testing::Values(2, 4, 16));

}  // namespace
}  // namespace heddle::theory
