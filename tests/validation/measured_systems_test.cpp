// Collectives against what the ledger does not check: protocols and algorithms that its tuner does not choose, and what
// other simulators give. README.md has the sources.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/results/bandwidth.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::validation {
namespace {

using acceptance::run_engine;
using acceptance::world_of;

/// All GPUs on one switch, as no more is known of the fabrics.
CollectiveTiming all_reduce(u32 gpus, const std::string& keys, const std::string& size,
                            const std::string& algorithm = "ring") {
  const World world =
      world_of(fmt::format("[topology]\nkind = 'star'\nhosts = {0}\n[[job]]\ngpus = {0}\nalgorithm = '{3}'\n{1}"
                           "[[job.collective]]\nkind = 'all_reduce'\nsizes = ['{2}']\n",
                           gpus, keys, size, algorithm));
  const Outcome outcome = run_engine(world);
  EXPECT_EQ(outcome.reason, EndReason::complete);
  const CollectiveTiming timing = collective_timing(world, outcome, 0);
  std::printf("| %u GPUs | %s | %.1f us | %.1f GB/s |\n", gpus, size.c_str(), timing.time_us, timing.busbw_GBps);
  return timing;
}

/// Ring all-reduce on 5 servers of 8 H100 with 4 x 400G RoCE (NCCL issue 1368): 354.9 us at 1 MiB, protocol unknown.
TEST(MeasuredSystems, FortyH100) {
  const std::string keys = "channels = 4\nqps_per_connection = 2\nprotocol = 'simple'\n";
  EXPECT_NEAR(all_reduce(40, keys, "1 MiB").time_us / 354.9, 1, 0.1);
}

/// 46 to 48 GB/s per NIC of 400G is what to expect (nccl-tests issue 290), so about 380 GB/s of 8 (NCCL issue 1649).
TEST(MeasuredSystems, ThirtyTwoH100) {
  const double nic_GBps = all_reduce(32, "protocol = 'simple'\n", "512 MiB").busbw_GBps / 8;
  EXPECT_GE(nic_GBps, 46);
  EXPECT_LE(nic_GBps, 48.8);
}

/// NVLink SHARP in one server of 8 H100: a peak of about 480 GB/s, so 275 of algbw, larger than at 256 MiB (NCCL's
/// author, nccl-tests issue 212).
TEST(MeasuredSystems, ReductionInTheSwitch) {
  EXPECT_NEAR(all_reduce(8, "", "4 GiB", "nvls").busbw_GBps / 480, 1, 0.02);
  EXPECT_LT(all_reduce(8, "", "256 MiB", "nvls").busbw_GBps, 0.9 * 480);
}

/// 32 MiB on 128 ranks with one 400G NIC each: LogGOPSim 2.35, ASTRA-sim's analytical network 2.41, htsim 2.75 ms.
TEST(MeasuredSystems, OtherSimulatorsOf128Ranks) {
  for (const char* protocol : {"ll128", "simple"}) {
    const double ms =
        all_reduce(128, fmt::format("gpus_per_server = 1\nprotocol = '{}'\n", protocol), "32 MiB").time_us / 1000;
    EXPECT_GE(ms, 2.3) << protocol;
    EXPECT_LE(ms, 2.8) << protocol;
  }
}

}  // namespace
}  // namespace heddle::validation
