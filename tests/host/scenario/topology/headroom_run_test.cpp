// Whether the computed headroom suffices in the engine, with dynamic thresholds that fall while all hosts send.
#include <gtest/gtest.h>

#include "host/scenario/topology/headroom.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

/// Headroom overruns of 64 greedy senders to one host, with `halves` / 2 of the computed headroom.
u64 overruns(double alpha, u64 halves) {
  FabricOptions options = star_options(65);
  options.rtsw_buffer.alpha = alpha;
  options.rtsw_buffer.bytes = u64{64} << 20;
  const World computed = world_of(options);
  options.rtsw_buffer.headroom_bytes = headroom_bytes(0, computed.fabric, computed.clocks) * halves / 2;
  World world = world_of(options);
  WorkloadInput input;
  GeneratorOptions incast;
  incast.kind = "incast";
  incast.fan_in = 64;
  incast.bytes = 4 << 20;
  input.generators = {incast};
  build_workload(input, world);
  world.clocks = choose_clocks({}, world);
  Engine engine(world, {});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_GT(outcome.totals.pauses, 0u);
  EXPECT_EQ(outcome.totals.drops[0] + outcome.totals.drops[2], 0u);
  return outcome.totals.drops[1];
}

// XOFF falls from epoch to epoch here, so accounts are far above it when they pause.
TEST(HeadroomRun, ComputedHeadroomIsNeverOverrun) {
  EXPECT_EQ(overruns(0.125, 2), 0u);
  EXPECT_EQ(overruns(0.5, 2), 0u);
  EXPECT_EQ(overruns(1.0, 2), 0u);
}

TEST(HeadroomRun, HalfOfItIsOverrun) { EXPECT_GT(overruns(0.125, 1), 0u); }

}  // namespace
}  // namespace heddle
