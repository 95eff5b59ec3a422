// A controller whose reports and routes travel over a network (MODEL.md, 7.8): a timeline by hand, what is lost, and
// when plans come into force in the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/scenario/controller/cspf.hpp"
#include "host/scenario/controller/measured.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/measuring.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::acceptance {
namespace {

constexpr TimePs kNs = 1000, kUs = 1'000'000;

/// 4 racks and 2 spines, with traffic between racks for some 150 us, and a star of 1G for management: two servers
/// report to host 8, and the ports of the six switches are hosts 2 to 7. Reports and routes are 1,000 B on the wire: 8
/// us.
std::string controlled_zone(const std::string& network, const std::string& more = "") {
  std::string text =
      "[simulation]\nhorizon = \"200 us\"\n[dcqcn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 4\n"
      "gpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 2\n[workload]\njitter_packets = 0\n"
      "[[fabric]]\nname = \"management\"\n[fabric.topology]\nkind = \"star\"\nhosts = 9\n"
      "[fabric.link]\nhost_rate = \"1 Gb/s\"\n[routing]\npolicy = \"traffic_engineering\"\n"
      "[routing.traffic_engineering]\ndemands = \"measured\"\nstart = \"20 us\"\nperiod = \"100 us\"\n" +
      more;
  if (!network.empty()) {
    text +=
        "[routing.traffic_engineering.network]\nfabric = \"management\"\ncontroller = 8\nservers = 2\n"
        "report_bytes = 882\nroute_bytes = 882\n" +
        network;
  }
  for (const auto& [src, dst] : {std::pair(0, 4), {1, 5}, {2, 8}, {5, 12}, {3, 9}, {6, 1}, {13, 2}}) {
    text += "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(dst) + "\nbytes = 6000000\n";
  }
  return text;
}

struct ControlledRun {
  std::vector<PlanTimes> plans;
  std::vector<RouteEntries> entries;  // each time that they changed
};

ControlledRun run_of(World world) {
  ControlledRun run;
  MeasuringController controller(world);
  RankedEngine engine(world, EngineOptions{});
  while (engine.advance(controller.next_ps())) {
    if (engine.now_ps() < controller.next_ps() || !engine.can_save()) continue;
    controller.solve(engine);
    const std::vector<RouteEntries>& now = world.routing.controller;
    if (!now.empty() && (run.entries.empty() || run.entries.back().from_ps != now.back().from_ps))
      run.entries.push_back(now.back());
  }
  run.plans.assign(controller.plan_times().begin(), controller.plan_times().end());
  return run;
}

/// Reports start at 20 us, take 8 us to the switch and, one behind the other, 8 us each to the controller: 44 us, and
/// the latencies of two cables. 5 us later six routes follow each other, the last one out after 48 us, at its port 8 us
/// later, and after two latencies again.
TEST(Controlled, ATimelineByHand) {
  constexpr TimePs kToSwitch = 715 * kNs, kToNic = 665 * kNs;
  constexpr TimePs kReported = 44 * kUs + kToSwitch + kToNic;
  constexpr TimePs kArrived = kReported + 5 * kUs + 56 * kUs + kToSwitch + kToNic;
  static_assert(kArrived == 107'760 * kNs);
  const World world = world_of(controlled_zone("solve = \"5 us\"\ncommit = \"1 us\"\n"));
  const ControlNetwork& control = world.routing.control;
  EXPECT_EQ(control.periods, 2u) << "at 20 and 120 us, before the horizon";
  ASSERT_EQ(control.switches, 6u) << "with the policy, in the first fabric";
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.messages[control.routes[0]].posted_ps, kReported + 5 * kUs);
  EXPECT_EQ(outcome.messages[control.routes[5]].received_ps, kArrived);

  const ControlledRun run = run_of(world);
  ASSERT_EQ(run.plans.size(), 2u);
  EXPECT_EQ(run.plans[0].measured_ps, 20 * kUs);
  EXPECT_EQ(run.plans[0].from_ps, 108 * kUs);
  EXPECT_EQ(run.plans[1].measured_ps, 120 * kUs);
  EXPECT_EQ(run.plans[1].from_ps, kNever) << "208 us is beyond the horizon";
  ASSERT_EQ(run.entries.size(), 1u);

  const ControlledRun at_once = run_of(world_of(controlled_zone("")));
  ASSERT_FALSE(at_once.entries.empty());
  EXPECT_EQ(at_once.entries[0].from_ps, 20 * kUs);
  const RouteEntries &late = run.entries[0], &early = at_once.entries[0];
  EXPECT_EQ(late.from_ps, 108 * kUs);
  EXPECT_EQ(late.first, early.first) << "planned for what was measured at 20 us";
  ASSERT_EQ(late.entries.size(), early.entries.size());
  for (size_t i = 0; i < late.entries.size(); ++i) EXPECT_EQ(late.entries[i].port, early.entries[i].port);
}

/// Routes that came exactly at an instant of the grid were not there before it.
TEST(Controlled, TheGridDecides) {
  EXPECT_EQ(run_of(world_of(controlled_zone("solve = \"5 us\"\ncommit = \"20 us\"\n"))).plans[0].from_ps, 120 * kUs);
  EXPECT_EQ(run_of(world_of(controlled_zone("solve = \"5 us\"\ncommit = \"53.88 us\"\n"))).plans[0].from_ps,
            161'640 * kNs);
  EXPECT_EQ(run_of(world_of(controlled_zone("solve = \"4.999 us\"\ncommit = \"53.88 us\"\n"))).plans[0].from_ps,
            107'760 * kNs);
}

TEST(Controlled, OldRoutesStayWithoutTheNetwork) {
  const std::string quick = "solve = \"5 us\"\ncommit = \"1 us\"\n";
  const auto cut = [](const char* host, const char* when) {
    return "[[failure]]\nlink = [\"management." + std::string(host) + "\", \"management.switch0\"]\n" + when;
  };
  for (const char* host : {"cpu1", "cpu8", "cpu7"}) {  // a report, everything, the routes of one switch
    const ControlledRun run = run_of(world_of(controlled_zone(quick, cut(host, "at = \"10 us\"\n"))));
    EXPECT_TRUE(run.entries.empty()) << host;
    ASSERT_EQ(run.plans.size(), 2u);
    for (const PlanTimes& plan : run.plans) EXPECT_EQ(plan.from_ps, kNever) << host;
  }
}

/// A port whose cable is out until 30 us holds its report back, which then ends 2 us later at the controller. One that
/// is cut off is retransmitted after roce.rto.
TEST(Controlled, APlanWaitsForWhatIsHeldUpOrLost) {
  const std::string quick = "solve = \"5 us\"\ncommit = \"1 us\"\n";
  const auto late = [&](const char* at) {
    return world_of(
        controlled_zone(quick, "[[failure]]\nlink = [\"management.cpu1\", \"management.switch0\"]\nat = \"" +
                                   std::string(at) + "\"\nuntil = \"30 us\"\n[roce]\nrto = \"50 us\"\n"));
  };
  EXPECT_EQ(run_of(late("10 us")).plans[0].from_ps, 110 * kUs);
  const World lost = late("25 us");
  const ControlledRun run = run_of(lost);
  ASSERT_EQ(run.entries.size(), 1u);
  EXPECT_GT(run.plans[0].from_ps, 145 * kUs);
  EXPECT_LT(run.plans[0].from_ps, 165 * kUs);
  EXPECT_EQ(property::difference_of_measuring(lost, property::told_beforehand(lost)), "");
}

/// A grid so coarse that several plans come between two of its instants.
TEST(Controlled, TheLastOfSeveralPlansCounts) {
  const std::string network = "solve = \"5 us\"\ncommit = \"350 us\"\nperiods = 3\n";
  const World world = world_of(controlled_zone(network),
                               std::vector<std::string>{"simulation.horizon=500 us", "message.0.bytes=20 MB"});
  const ControlledRun run = run_of(world);
  ASSERT_EQ(run.plans.size(), 3u);
  EXPECT_EQ(run.plans[0].from_ps, kNever);
  EXPECT_EQ(run.plans[1].from_ps, kNever);
  EXPECT_EQ(run.plans[2].from_ps, 350 * kUs);
  EXPECT_EQ(run.entries.size(), 1u);
}

/// Every plan comes into force when the oracle's routes have come.
void expect_times_of_oracle(const World& world, const std::vector<PlanTimes>& plans, const World& told) {
  const ControlNetwork& control = world.routing.control;
  const Outcome outcome = simulate(told, {});
  const TimePs first_ps = first_solution_ps(world.routing), period_ps = solution_period_ps(world.routing);
  TimePs later_ps = kNever;  // when the next plan comes into force
  for (size_t i = plans.size(); i-- > 0;) {
    const u64 period = static_cast<u64>((plans[i].measured_ps - first_ps) / period_ps);
    TimePs last_ps = 0;
    for (u64 r = period * control.switches; r < (period + 1) * control.switches; ++r) {
      const TimePs received_ps = outcome.messages[control.routes[r]].received_ps;
      last_ps = received_ps < 0 ? kNever : std::max(last_ps, received_ps);
      if (received_ps < 0) break;
    }
    TimePs expected_ps = last_ps == kNever ? kNever : (last_ps / control.commit_ps + 1) * control.commit_ps;
    if (expected_ps >= later_ps) expected_ps = kNever;
    if (expected_ps >= outcome.end_ps) {  // the run may have ended before
      EXPECT_TRUE(plans[i].from_ps == kNever || plans[i].from_ps == expected_ps);
      continue;
    }
    EXPECT_EQ(plans[i].from_ps, expected_ps) << "plan " << i;
    later_ps = expected_ps;
  }
}

TEST(Controlled, SaysTheSameInRanksAndAfterRestarts) {
  const World world = world_of(controlled_zone("solve = \"5 us\"\ncommit = \"3 us\"\n"));
  const World told = property::told_beforehand(world);
  ASSERT_EQ(told.routing.controller.size(), 1u);
  EXPECT_EQ(property::difference_of_measuring(world, told), "");
  expect_times_of_oracle(world, run_of(world).plans, told);
}

TEST(Controlled, SomeRandomWorldsHaveSuchANetwork) {
  u64 worlds = 0, in_force = 0;
  for (u64 seed = 1; seed <= 600; ++seed) {
    const World world = property::build(property::case_of_seed(seed));
    if (world.routing.control.routes.empty()) continue;
    ++worlds;
    const ControlledRun run = run_of(world);
    in_force += !run.entries.empty();
    SCOPED_TRACE(seed);
    expect_times_of_oracle(world, run.plans, property::told_beforehand(world));
  }
  EXPECT_GE(worlds, 5u);
  EXPECT_GE(in_force, 2u);
}

}  // namespace
}  // namespace heddle::acceptance
