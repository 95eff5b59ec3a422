// The first runs of README.md and configs/README.md have the results given there; tests/docs/what_if_test.py tests the
// sweeps.
#include <gtest/gtest.h>

#include "host/config/config.hpp"
#include "host/run/simulation.hpp"
#include "host/scenario/build.hpp"
#include "io/results/bandwidth.hpp"

namespace heddle {
namespace {

SimulationResult run(const Config& config, const World& world) {
  Simulation simulation(world, EngineOptions{}, config.output);
  return simulation.run(nullptr, [](TimePs, const Totals&) { return Wish::go_on; });
}

/// Microseconds of the quickstart's ring all-reduce of 1 MiB on 64 GPUs in 4 racks, with another setting.
double small_ring_us(const std::string& set) {
  const std::vector<std::string> sets = {"topology.racks=4",
                                         "job.0.gpus=64",
                                         "job.0.algorithm=ring",
                                         "job.0.protocol=simple",
                                         "job.0.collective.0.sizes=[\"1 MiB\"]",
                                         "collective.host=none",  // slots alone bound it
                                         set};
  const Config config = load_config("configs/zone_quickstart.toml", sets);
  const World world = build_world(config);
  return collective_timing(world, run(config, world).outcome, 0).time_us;
}

TEST(ReadmeRuns, SmallRingsTakeTheTurnaroundOfASlot) {
  constexpr double kSlices = 2 * 2 * (64 - 1), kTurnaround_us = 26.5;
  const double two_us = small_ring_us("job.0.slots=2"), time_us = small_ring_us("job.0.slots=4"),
               eight_us = small_ring_us("job.0.slots=8");
  // the first steps, which fill the ring, are some per cent of so few; they cancel in differences
  EXPECT_NEAR(time_us / (kSlices * kTurnaround_us / 4), 1, 0.04);
  EXPECT_NEAR((two_us - time_us) / (kSlices * kTurnaround_us / 4), 1, 0.02);
  EXPECT_NEAR((time_us - eight_us) / (kSlices * kTurnaround_us / 8), 1, 0.02);
  EXPECT_NEAR(small_ring_us("collective.nvlink_latency=10 ns") / time_us, 1, 0.02);
  EXPECT_NEAR(small_ring_us("roce.proxy_latency=2 us") - time_us, kSlices * 2 / 4, 3) << "completion and post";
}

TEST(ReadmeRuns, DcqcnHalvesThePausesOfTheIncast) {
  u64 pauses[2];
  double end_ms[2];
  for (const bool on : {false, true}) {
    const std::vector<std::string> sets = {on ? "dcqcn.enabled=true" : "dcqcn.enabled=false"};
    const Config config = load_config("configs/incast.toml", sets);
    const Outcome outcome = run(config, build_world(config)).outcome;
    EXPECT_EQ(outcome.reason, EndReason::complete);
    pauses[on] = outcome.totals.pauses;
    end_ms[on] = static_cast<double>(outcome.end_ps) * 1e-9;
  }
  EXPECT_EQ(pauses[0], 1053u);
  EXPECT_EQ(pauses[1], 496u);
  EXPECT_NEAR(end_ms[0], 5.52, 0.005);
  EXPECT_NEAR(end_ms[1], 5.69, 0.005);
}

/// A part of meta_24k.toml, oversubscribed between pods as the whole.
TEST(ReadmeRuns, ThePresetOf24KCompletesMessages) {
  const std::vector<std::string> sets = {"topology.zones=2", "topology.racks=16", "topology.atsws=2",
                                         "topology.uplinks_per_ctsw=2"};
  const Config config = load_config("configs/meta_24k.toml", sets);
  const World world = build_world(config);
  const Outcome outcome = run(config, world).outcome;
  EXPECT_EQ(outcome.reason, EndReason::horizon) << "there is more to send than the run lasts";
  size_t done = 0;
  for (const auto& message : outcome.messages) done += message.acked_ps >= 0 ? 1 : 0;
  EXPECT_GT(done, world.traffic.messages.size() / 10);
}

}  // namespace
}  // namespace heddle
