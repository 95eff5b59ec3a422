// The largest and the smallest frame, and the gap between frames.
#include <gtest/gtest.h>

#include "host/base/error.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

FabricOptions star_with_gap(u32 gap_bytes) {
  FabricOptions options = star_options(2);
  options.link.wire_gap_bytes = gap_bytes;
  return options;
}

World with_overhead(u32 overhead_wire_bytes, u32 gap_bytes) {
  World world = blank_world();
  world.roce.data_overhead_wire_bytes = overhead_wire_bytes;
  build_topology(star_with_gap(gap_bytes), {}, nullptr, world);
  return world;
}

TEST(FrameSizes, AreWhatTheGapLeavesOfSizesOnTheWire) {
  const World ethernet = world_of(star_options(2)), none = world_of(star_with_gap(0));
  EXPECT_EQ(ethernet.fabric.max_frame_bytes, 4096u + 102 + 16 - 20);
  EXPECT_EQ(ethernet.fabric.min_frame_bytes, 102u + 1 - 20);
  EXPECT_EQ(none.fabric.max_frame_bytes, 4096u + 102 + 16);
  EXPECT_EQ(none.fabric.min_frame_bytes, 102u + 1);
}

/// Until when two hosts send 100 packets to a third, and how much waits at most.
Outcome incast(u32 gap_bytes) {
  FabricOptions options = star_with_gap(gap_bytes);
  options.topology.hosts = 3;
  World world = world_of(options);
  WorkloadInput input;
  GeneratorOptions generator;
  generator.kind = "incast";
  generator.fan_in = 2;
  generator.bytes = 100 * 4096;
  input.generators = {generator};
  build_workload(input, world);
  world.clocks = choose_clocks({}, world);
  Engine engine(world, {});
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

TEST(FrameSizes, GapTakesTimeOnLinksAndNoMemory) {
  const Outcome ethernet = incast(20), none = incast(0);
  EXPECT_EQ(ethernet.end_ps, none.end_ps) << "the same bytes on the wire";
  u64 most_ethernet = 0, most_none = 0;
  for (const LinkOutcome& link : ethernet.links) most_ethernet = std::max(most_ethernet, link.peak_queue_bytes);
  for (const LinkOutcome& link : none.links) most_none = std::max(most_none, link.peak_queue_bytes);
  EXPECT_GT(most_none, most_ethernet);
  const u64 packets = (most_none - most_ethernet) / 20;
  EXPECT_EQ(most_none, most_ethernet + 20 * packets) << "20 B for every packet that waits";
  EXPECT_GE(packets, 90u);
}

TEST(FrameSizes, SizesOnTheWireThatAreNoMoreThanTheGapAreRefused) {
  const std::string text = test::message_of<ConfigError>([] { with_overhead(40, 41); });
  EXPECT_NE(text.find("roce.data_overhead: packets of 41 B on the wire do not fit"), std::string::npos) << text;
  EXPECT_NE(text.find("link.wire_gap, 41 B"), std::string::npos) << text;
  EXPECT_NO_THROW(with_overhead(41, 41));
}

}  // namespace
}  // namespace heddle
