// Headroom, thresholds, pools, marking and clocks.
#include <gtest/gtest.h>

#include "host/scenario/topology/headroom.hpp"
#include "kernels/base/units.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

const IngressProfile& profile_into(const World& world, NodeId node, u32 port) {
  const Fabric& f = world.fabric;
  return f.ingress[f.links[f.links[f.nodes[node].first_link + port].reverse].ingress];
}

// The headroom formula by hand: 400G, 20 ps/B; the largest packet is 4096 + 102 + 16 = 4214 B on the wire.
TEST(Headroom, IsTheModelsFormula) {
  const World world = world_of(small_zone_options());
  const LinkId up = world.fabric.nodes[0].first_link;  // gpu0 -> rtsw0
  const TimePs open_ps = 715'000 + 1'173'400 + 32'768 + 4214 * 20 + 84 * 20;
  EXPECT_EQ(headroom_bytes(up, world.fabric, world.clocks), static_cast<u64>((open_ps + 19) / 20 + 2 * 4214));
  EXPECT_EQ(headroom_bytes(up, world.fabric, world.clocks), 108'785u);
}

// Chips are configured with 68 / 115 / 213 KB at 3, 100 and 300 m; without pipelines Heddle's values are near these.
TEST(Headroom, GrowsWithTheCableAsHardwareDoes) {
  const auto headroom_at = [](TimePs propagation_ps) {
    FabricOptions options = star_options(2);
    options.link.host_propagation_ps = propagation_ps;
    options.latency = {.nic_transmit_ps = 0, .nic_receive_ps = 0, .rtsw_ingress_ps = 0};
    const World world = world_of(options);
    return headroom_bytes(world.fabric.nodes[0].first_link, world.fabric, world.clocks);
  };
  EXPECT_EQ(headroom_at(15'000), 73'785u);
  EXPECT_EQ(headroom_at(500'000), 122'285u);
  EXPECT_EQ(headroom_at(1'500'000), 222'285u);
}

// With cells, the smallest frame, 102 + 1 - 20 = 83 B, fills most per time: a cell of 254 B for 103 B on the wire.
TEST(Headroom, WithCellsIsForThePacketsThatFillMost) {
  FabricOptions options = small_zone_options();
  options.rtsw_buffer.cell_bytes = 254;
  const World world = world_of(options);
  const LinkId up = world.fabric.nodes[0].first_link;
  const u64 open_ps = 715'000 + 1'173'400 + 32'768 + 4214 * 20 + 84 * 20;
  const u64 smallest_ps = (world.fabric.min_frame_bytes + 20) * 20;
  EXPECT_EQ(world.fabric.min_frame_bytes, 83u);
  EXPECT_EQ(headroom_bytes(up, world.fabric, world.clocks),
            (open_ps * 254 + smallest_ps - 1) / smallest_ps + 2 * 17 * 254);
}

TEST(Buffers, ReservesAreKeptForEveryLosslessClass) {
  FabricOptions options = star_options(2);
  options.rtsw_buffer.pools = 1;
  const World world = world_of(options);
  const IngressProfile& profile = profile_into(world, 2, 0);
  EXPECT_EQ(profile.reserve_bytes, 4096u);
  EXPECT_EQ(world.fabric.pools[0].shared_bytes,
            world.fabric.pools[0].limit_bytes - 2 * (u64{profile.headroom_bytes} + 4096));
}

TEST(Buffers, RtswSharesTwoHalvesByAlternatingPorts) {
  const World world = world_of(small_zone_options());
  const Fabric& f = world.fabric;
  ASSERT_EQ(f.pools.size(), 8u);
  EXPECT_EQ(f.pools[0].limit_bytes, 119'223'028u / 2);
  u64 kept = 0;
  for (u32 port = 0; port < 8; port += 2) kept += profile_into(world, 16, port).headroom_bytes + 4096;
  EXPECT_EQ(f.pools[0].shared_bytes, f.pools[0].limit_bytes - kept);
  EXPECT_TRUE(profile_into(world, 16, 0).dynamic);
  EXPECT_EQ(profile_into(world, 16, 0).alpha_q16, 8192u);
  EXPECT_EQ(f.links[f.links[f.nodes[16].first_link + 3].reverse].pool, 1u);
}

TEST(Buffers, CtswPortsOwnTheirMemory) {
  const World world = world_of(small_zone_options());
  const IngressProfile& profile = profile_into(world, 20, 0);
  EXPECT_FALSE(profile.dynamic);
  EXPECT_EQ(profile.xoff_bytes + profile.headroom_bytes, 500'000'000u);
  EXPECT_EQ(profile.xon_bytes, profile.xoff_bytes - 3072);
  const Fabric& f = world.fabric;
  EXPECT_EQ(f.links[f.links[f.nodes[20].first_link].reverse].pool, kNone);
  EXPECT_EQ(f.links[f.links[f.nodes[0].first_link].reverse].ingress, kNone) << "fast NICs never pause";
}

TEST(Buffers, GivenThresholdsAreTaken) {
  FabricOptions options = star_options(2);
  options.rtsw_buffer = {.kind = "static", .xoff_bytes = 819'200, .xon_bytes = 614'400};
  const World world = world_of(options);
  const IngressProfile& profile = profile_into(world, 2, 0);
  EXPECT_EQ(profile.xoff_bytes, 819'200u);
  EXPECT_EQ(profile.xon_bytes, 614'400u);
  options.rtsw_buffer.xon_bytes = 900'000;
  EXPECT_NE(config_error_of([&] { world_of(options); }).find("not below XOFF"), std::string::npos);
}

TEST(Buffers, NoLosslessClassMeansNoAccounts) {
  World world = blank_world();
  world.fabric.classes[1].pfc = false;
  build_topology(small_zone_options(), {}, nullptr, world);
  EXPECT_TRUE(world.fabric.ingress.empty());
  EXPECT_TRUE(world.fabric.pools.empty());
}

TEST(Buffers, TooLittleMemoryAndHeadroomAreRefused) {
  FabricOptions options = small_zone_options();
  options.rtsw_buffer.bytes = 1 << 20;
  EXPECT_NE(config_error_of([&] { world_of(options); }).find("nothing is left to share"), std::string::npos);
  options = small_zone_options();
  options.ctsw_buffer.bytes = 1000;
  EXPECT_NE(config_error_of([&] { world_of(options); }).find("always pause"), std::string::npos);
  options = small_zone_options();
  options.ctsw_buffer.headroom_bytes = 50'000;
  const World unsafe = world_of(options);
  EXPECT_EQ(links_with_unsafe_headroom(unsafe).size(), 16u) << "every RTSW uplink";
  const std::string error = config_error_of([&] { check_headroom(unsafe, options.pfc); });
  EXPECT_NE(error.find("50000 B configured"), std::string::npos);
  EXPECT_NE(error.find("-> ctsw0"), std::string::npos);
  options.pfc.allow_unsafe_headroom = true;
  EXPECT_NO_THROW(check_headroom(unsafe, options.pfc));
  EXPECT_NO_THROW(check_headroom(world_of(small_zone_options()), PfcOptions{}));
}

TEST(Marking, ScalesWithThePortsRate) {
  FabricOptions options = small_zone_options();
  options.link.host_bits_per_s = 200'000'000'000;
  const World world = world_of(options);
  const Fabric& f = world.fabric;
  EXPECT_EQ(f.links[f.nodes[0].first_link].ecn, kNone) << "NICs never mark";
  const EcnProfile& down = f.ecn[f.links[f.nodes[16].first_link].ecn];
  EXPECT_EQ(down.kmin_bytes, 400'000u);
  const EcnProfile& up = f.ecn[f.links[f.nodes[16].first_link + 4].ecn];
  EXPECT_EQ(up.kmax_bytes, 3'200'000u);
  EXPECT_EQ(up.pmax_q32, 858'993'459u);
  EXPECT_EQ(f.ecn.size(), 2u);
  options.ecn.tiers = {"ctsw"};
  EXPECT_EQ(world_of(options).fabric.links[f.nodes[16].first_link].ecn, kNone);
  options.ecn.kmin_bytes = 4'000'000;
  EXPECT_NE(config_error_of([&] { world_of(options); }).find("ecn.kmin"), std::string::npos);
}

TEST(Clocks, TickIsTheLargestThatNests) {
  const World world = world_of(small_zone_options());
  EXPECT_EQ(choose_clocks({}, world).tick_ps, 1 << 19) << "the least latency is 665 ns";
  EXPECT_EQ(choose_clocks({.epoch_ps = 655'360}, world).tick_ps, 655'360);
  EXPECT_EQ(choose_clocks({.epoch_ps = 3 * 524'288}, world).tick_ps, 524'288);
  EXPECT_EQ(choose_clocks({.tick_ps = 131'072}, world).tick_ps, 131'072);
  FabricOptions shorter = small_zone_options();
  shorter.latency.nic_receive_ps = 0;  // rtsw -> gpu takes 15 ns
  EXPECT_EQ(choose_clocks({}, world_of(shorter)).tick_ps, 8192) << "less than a slot: a power of two below it";
  EXPECT_EQ(choose_clocks({}, world).horizon_ps, kNever);
}

/// In fabrics with only long cables the engine's own limit applies.
TEST(Clocks, LongCablesDoNotMakeTicksThatTheEngineRefuses) {
  FabricOptions far = small_zone_options();
  far.link.host_propagation_ps = far.link.rtsw_ctsw_propagation_ps = 1'000'000'000;  // 200 km
  far.rtsw_buffer.bytes = 100'000'000'000;                                           // headroom for 200 km
  const World world = world_of(far);
  EXPECT_EQ(choose_clocks({.slot_ps = 1 << 28, .epoch_ps = 1 << 28}, world).tick_ps, 1 << 26);
  EXPECT_NE(config_error_of([&] {
              choose_clocks({.tick_ps = 1 << 27, .slot_ps = 1 << 28, .epoch_ps = 1 << 28}, world);
            }).find("134217728 ps; the engine's ticks are shorter"),
            std::string::npos);
}

TEST(Clocks, ImpossibleGridsAreRefused) {
  const World world = world_of(small_zone_options());
  const auto error = [&](SimulationOptions options) { return config_error_of([&] { choose_clocks(options, world); }); };
  EXPECT_NE(error({.tick_ps = 1 << 20}).find("rtsw0 port 0 -> gpu0 port 0 (665000 ps)"), std::string::npos);
  EXPECT_NE(error({.tick_ps = 100'000}).find("does not nest"), std::string::npos);
  EXPECT_NE(error({.slot_ps = 30'000}).find("16384"), std::string::npos);
  EXPECT_NE(error({.epoch_ps = 500'000}).find("multiple of the slot"), std::string::npos);
}

TEST(Clocks, AnEpochOfAPrimeNumberOfSlotsIsChosenInTime) {
  const World world = world_of(small_zone_options());
  EXPECT_EQ(choose_clocks({.slot_ps = 1, .epoch_ps = 999'999'999'989}, world).tick_ps, 1);  // this once took hours
}

}  // namespace
}  // namespace heddle
