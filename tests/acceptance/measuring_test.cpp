// A controller of traffic engineering that measures: compared with the arrivals in the oracle, in ranks and after
// restarts.
#include "tests/property/measuring.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "host/scenario/controller/cspf.hpp"
#include "host/scenario/controller/measured.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/compare.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/ranks.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::acceptance {
namespace {

/// 4 racks of 4 GPUs with 2 uplinks each; racks 0 and 1 change their traffic halfway. Sizes are whole packets.
World zone() {
  std::string text =
      "[simulation]\nhorizon = \"100 us\"\n[dcqcn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 4\n"
      "gpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 2\n[routing]\npolicy = \"traffic_engineering\"\n"
      "[routing.traffic_engineering]\ndemands = \"measured\"\nperiod = \"20 us\"\n";
  const auto message = [&](int src, int dst, int kib, int at_us) {
    text += "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(dst) +
            "\nbytes = " + std::to_string(kib * 1024) + "\npost = \"" + std::to_string(at_us) + " us\"\n";
  };
  message(0, 4, 800, 0), message(1, 5, 400, 0), message(2, 8, 1600, 0), message(5, 12, 1200, 0);
  message(0, 13, 1200, 50), message(3, 9, 600, 50), message(6, 1, 800, 45), message(8, 2, 800, 45);
  return world_of(text);
}

/// Bytes that had arrived in order before `t` in the oracle, by NIC and rack.
std::map<std::pair<EndpointId, u32>, u64> arrived(World world, TimePs t) {
  world.clocks.horizon_ps = t;
  const Outcome outcome = simulate(world, {});
  std::map<std::pair<EndpointId, u32>, u64> bytes;
  for (size_t m = 0; m < outcome.messages.size(); ++m) {
    const Qp& qp = world.traffic.qps[world.traffic.messages[m].qp];
    bytes[{qp.src, world.routing.group_of[qp.dst]}] += outcome.messages[m].received_bytes;
  }
  return bytes;
}

TEST(Measuring, EntriesAreForWhatHasArrivedSinceTheLast) {
  const World told = property::told_beforehand(zone());
  ASSERT_GE(told.routing.controller.size(), 3u);
  auto before = arrived(told, 0);
  World again = zone();
  for (const RouteEntries& entries : told.routing.controller) {
    EXPECT_EQ(entries.from_ps % 20'000'000, 0);
    const auto now = arrived(told, entries.from_ps);
    std::vector<RackDemand> demands;
    for (const auto& [pair, bytes] : now) {
      if (bytes != before[pair])
        demands.push_back({pair.first, pair.second, (bytes - before[pair]) / told.roce.mtu_bytes});
    }
    solve_traffic(demands, entries.from_ps, again);
    const RouteEntries& expected = again.routing.controller.at(0);
    EXPECT_EQ(entries.first, expected.first) << "at " << entries.from_ps;
    ASSERT_EQ(entries.entries.size(), expected.entries.size());
    for (size_t i = 0; i < entries.entries.size(); ++i) {
      EXPECT_EQ(entries.entries[i].group, expected.entries[i].group);
      EXPECT_EQ(entries.entries[i].port, expected.entries[i].port);
    }
    before = now;
  }
}

TEST(Measuring, SaysTheSameInRanksAndAfterRestarts) {
  const World told = property::told_beforehand(zone());
  EXPECT_EQ(property::difference_of_measuring(zone(), told), "");
  EXPECT_NE(property::difference_of_measuring(zone(), zone()), "") << "its entries do change the run";
}

/// Three GPUs send to one and are paused while they send to each other: packets on cut wires determine how long a pause
/// waits for the end of a packet.
TEST(Measuring, RanksLeaveNothingBehind) {
  std::string text =
      "[simulation]\nhorizon = \"400 us\"\n[dcqcn]\nenabled = false\n[topology]\nkind = \"star\"\nhosts = 4\n"
      "[buffer.rtsw]\nkind = \"static\"\nbytes = \"4 MB\"\nxoff = \"40 KB\"\nxon = \"36 KB\"\n";
  for (const auto& [src, dst] : {std::pair(1, 0), {2, 0}, {3, 0}, {2, 1}, {3, 2}, {1, 3}})
    text += "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(dst) + "\nbytes = 4000000\n";
  const World world = world_of(text);
  EngineOptions options;
  options.recorded_kinds = 1u << static_cast<u32>(EventKind::pause);
  const Outcome whole = run_engine(world, options);
  EXPECT_GT(whole.totals.pauses, 50u);
  const auto run = [&](RankedEngine& engine) {
    for (const Event& pause : whole.events) {  // half a packet before the decision
      const TimePs stop_ps = pause.time_ps - 40'000;
      if (stop_ps <= engine.now_ps()) continue;
      EXPECT_TRUE(engine.advance(stop_ps) && engine.can_save());
      engine.go_on_with(world);
    }
    while (engine.advance(kNever)) {
    }
    return engine.outcome();
  };
  const Outcome outcome = property::in_ranks(world, {}, property::random_cut(world, 3, 5), run);
  EXPECT_EQ(property::differences(whole, outcome), "");
  EXPECT_EQ(outcome.digest, whole.digest);
}

TEST(Measuring, SomeRandomWorldsHaveSuchAController) {
  u64 measured = 0, solved_twice = 0;
  for (u64 seed = 1; seed <= 300; ++seed) {
    const World world = property::build(property::case_of_seed(seed));
    if (!demands_are_measured(world)) continue;
    ++measured;
    solved_twice += property::told_beforehand(world).routing.controller.size() >= 2;
  }
  EXPECT_GE(measured, 5u);
  EXPECT_GE(solved_twice, 2u);
}

}  // namespace
}  // namespace heddle::acceptance
