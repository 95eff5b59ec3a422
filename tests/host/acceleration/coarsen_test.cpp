// Coarse packets: what is said in bytes stays, what is said in packets follows, and nothing is lost that was not
// before.
#include "host/acceleration/coarsen.hpp"

#include <gtest/gtest.h>

#include "host/build.hpp"
#include "host/topology/headroom.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

World world_of(const std::string& text) { return build_world(load_config_text(text, "coarse")); }

const char* kIncast = R"(
[topology]
kind = "star"
hosts = 16
[dcqcn]
enabled = false
[[generator]]
kind = "incast"
fan_in = 15
bytes = "4 MiB"
)";

Outcome outcome_of(const World& world) {
  Engine engine(world, {});
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

TEST(Coarsen, PacketsCarryMoreWithTheirHeaders) {
  World world = world_of(kIncast);
  coarsen(world, 8);
  EXPECT_EQ(world.roce.mtu_bytes, 8u * 4096);
  EXPECT_EQ(world.roce.data_overhead_wire_bytes, 8u * 102);
  EXPECT_EQ(world.roce.reth_bytes, 16u) << "once a message, as before";
  EXPECT_EQ(world.fabric.max_frame_bytes, 8 * (4096 + 102) + 16 - kWireGapBytes);
}

TEST(Coarsen, AcksTakeTheSameShareOfTheLinks) {
  World world = world_of(kIncast);
  for (const u32 every : {1u, 4u, 16u, 64u}) {
    for (const u32 mtus : {2u, 4u, 8u, 16u}) {
      World coarse = world;
      coarse.roce.ack_every = every;
      coarse.roce.mtu_bytes = 1024;
      const double before = double{106} / every;
      coarsen(coarse, mtus);
      EXPECT_NEAR(double(coarse.roce.ack_wire_bytes) / (coarse.roce.ack_every * mtus), before, 0.01 * before)
          << every << " packets an ACK, " << mtus << " MTUs a packet";
      EXPECT_LE(coarse.roce.ack_every, std::max(8u, every / mtus)) << "the ACK of a message's end would be too large";
    }
  }
}

TEST(Coarsen, OneMtuIsTheWorldItself) {
  World world = world_of(kIncast);
  const Outcome before = outcome_of(world);
  coarsen(world, 1);
  EXPECT_EQ(outcome_of(world).digest, before.digest);
}

TEST(Coarsen, HeadroomsHoldWhatStillArrives) {
  World world = world_of(kIncast);
  ASSERT_TRUE(links_with_unsafe_headroom(world).empty());
  const u64 limit = world.fabric.pools.empty() ? 0 : world.fabric.pools[0].limit_bytes;
  coarsen(world, 15);
  EXPECT_TRUE(links_with_unsafe_headroom(world).empty());
  if (!world.fabric.pools.empty()) {
    EXPECT_GT(world.fabric.pools[0].limit_bytes, limit);
  }
  const Outcome outcome = outcome_of(world);
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_GT(outcome.totals.pauses, 0u);
  for (const u64 drops : outcome.totals.drops) EXPECT_EQ(drops, 0u);
}

TEST(Coarsen, FewerPacketHopsForTheSameBytes) {
  World world = world_of(kIncast);
  const Outcome fine = outcome_of(world);
  coarsen(world, 8);
  const Outcome coarse = outcome_of(world);
  EXPECT_LT(coarse.totals.packet_hops * 6, fine.totals.packet_hops);
  for (size_t m = 0; m < fine.messages.size(); ++m)
    EXPECT_EQ(coarse.messages[m].received_bytes, fine.messages[m].received_bytes);
  EXPECT_NEAR(double(coarse.end_ps), double(fine.end_ps), 0.01 * double(fine.end_ps));
}

TEST(Coarsen, FramesFitTheDescriptor) {
  World world = world_of(kIncast);
  const u32 most = most_mtus_of_packet(world.roce);
  EXPECT_EQ(most, 31u);
  coarsen(world, most);
  EXPECT_NO_THROW(Engine(world, {}));
  World larger = world_of(kIncast);
  coarsen(larger, most + 1);
  EXPECT_THROW(Engine(larger, {}), std::invalid_argument);
}

TEST(Coarsen, WindowsFollow) {
  World world = world_of(std::string(kIncast) + "[roce]\nrecovery = \"selective_repeat\"\nwindow_packets = 100\n");
  coarsen(world, 8);
  EXPECT_EQ(world.roce.window_packets, 12u);
  EXPECT_EQ(world.roce.reorder_window_packets, 128u);
  EXPECT_EQ(world.roce.reorder_distance_packets, 8u);
  EXPECT_STREQ(problem_of_reordering(world.roce), "");
  World odd =
      world_of(std::string(kIncast) + "[roce]\nrecovery = \"selective_repeat\"\nreorder_distance_packets = 1000\n");
  coarsen(odd, 3);
  EXPECT_STREQ(problem_of_reordering(odd.roce), "") << "windows are powers of two";
}

}  // namespace
}  // namespace heddle
