// The failures of a configuration as the schedule of the World.
#include "host/scenario/failures/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/base/error.hpp"
#include "host/check/report.hpp"
#include "host/scenario/build.hpp"
#include "kernels/base/units.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

constexpr TimePs kMs = 1'000'000'000;

/// nodes: gpu 0..15, rtsw 16..19 (ports 4 to 7: ctsw0, ctsw1, ctsw0, ctsw1), ctsw 20, 21
World zone_with(const FailureSettings& settings, const std::vector<FailureOptions>& failures) {
  World world = world_of(small_zone_options());
  add_failures(settings, failures, world);
  return world;
}

World zone_with(const std::vector<FailureOptions>& failures) { return zone_with({}, failures); }

LinkId link_at(const World& world, NodeId node, u32 port) { return world.fabric.nodes[node].first_link + port; }

/// Number of links with a change.
u32 links_that_change(const World& world) {
  u32 count = 0;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) count += !world.failures.of(l).empty();
  return count;
}

TEST(FailureSchedule, WithoutAnyTheTablesAreEmpty) {
  const World world = zone_with({});
  EXPECT_TRUE(world.failures.none());
  EXPECT_FALSE(world.routing.rows_change());
}

/// Kind "none" lets a sweep remove a failure; its names are still checked.
TEST(FailureSchedule, OfKindNoneNothingHappens) {
  EXPECT_TRUE(zone_with({{.node = "ctsw1", .kind = "none", .at_ps = kMs}}).failures.none());
  EXPECT_EQ(links_that_change(zone_with({{.node = "ctsw1", .kind = "none"}, {.link = {"rtsw1", "ctsw0"}}})), 4u);
  EXPECT_THROW(zone_with({{.node = "ctsw9", .kind = "none"}}), ConfigError);
}

TEST(FailureSchedule, ACableGoesDownInBothDirections) {
  const World world = zone_with({{.link = {"rtsw1", "ctsw0"}, .cable = 2, .at_ps = kMs, .until_ps = 3 * kMs}});
  EXPECT_EQ(links_that_change(world), 2u);
  const LinkId up = link_at(world, 17, 6);
  for (const LinkId l : {up, world.fabric.links[up].reverse}) {
    const auto changes = world.failures.of(l);
    ASSERT_EQ(changes.size(), 2u);
    EXPECT_EQ(changes[0].at_ps, kMs);
    EXPECT_FALSE(changes[0].state.up());
    EXPECT_EQ(changes[1].at_ps, 3 * kMs);
    EXPECT_EQ(changes[1].state, nominal_state(world.fabric.links[l]));
    EXPECT_TRUE(state_at(world.fabric, world.failures, l, kMs - 1).up());
    EXPECT_FALSE(state_at(world.fabric, world.failures, l, kMs).up());
    EXPECT_TRUE(state_at(world.fabric, world.failures, l, 3 * kMs).up());
  }
}

TEST(FailureSchedule, AllParallelCablesOrAllOfANode) {
  EXPECT_EQ(links_that_change(zone_with({{.link = {"ctsw0", "rtsw1"}}})), 4u);
  EXPECT_EQ(links_that_change(zone_with({{.node = "ctsw1"}})), 16u);
  EXPECT_EQ(links_that_change(zone_with({{.node = "gpu3"}})), 2u);
}

TEST(FailureSchedule, Flapping) {
  const World world =
      zone_with({{.node = "gpu3", .at_ps = kMs, .until_ps = 2 * kMs, .times = 3, .period_ps = 10 * kMs}});
  const auto changes = world.failures.of(link_at(world, 3, 0));
  ASSERT_EQ(changes.size(), 6u);
  for (u32 i = 0; i < 6; ++i) {
    EXPECT_EQ(changes[i].at_ps, kMs + (i / 2) * 10 * kMs + (i % 2) * kMs);
    EXPECT_EQ(changes[i].state.up(), i % 2 == 1);
  }
}

TEST(FailureSchedule, OfSeveralAtATimeTheWorstCounts) {
  const World world = zone_with({
      {.node = "gpu3", .kind = "rate", .rate_bits_per_s = 100'000'000'000, .at_ps = 1, .until_ps = 50},
      {.node = "gpu3", .kind = "rate", .rate_bits_per_s = 200'000'000'000, .at_ps = 10, .until_ps = 60},
      {.node = "gpu3", .kind = "bit_errors", .bit_error_rate = 1e-9, .at_ps = 20, .until_ps = 40},
      {.node = "gpu3", .kind = "down", .at_ps = 30, .until_ps = 35},
      {.link = {"gpu3", "rtsw0"}, .kind = "down", .at_ps = 33, .until_ps = 38},
  });
  std::vector<TimePs> times;
  std::vector<u32> speeds;
  for (const LinkChange& c : world.failures.of(link_at(world, 3, 0))) {
    times.push_back(c.at_ps);
    speeds.push_back(c.state.ps_per_byte_q16 >> 16);
    EXPECT_EQ(c.state.loss_q64 != 0, c.at_ps == 20 || c.at_ps == 38) << c.at_ps;
  }
  EXPECT_EQ(times, (std::vector<TimePs>{1, 20, 30, 38, 40, 50, 60}));
  EXPECT_EQ(speeds, (std::vector<u32>{80, 80, 0, 80, 80, 40, 20}));
}

TEST(FailureSchedule, BitErrorsAreThoseOfAByte) {
  const World world = zone_with({{.node = "gpu0", .kind = "bit_errors", .bit_error_rate = 1e-12}});
  const u64 loss_q64 = world.failures.of(0)[0].state.loss_q64;
  EXPECT_NEAR(std::ldexp(static_cast<double>(loss_q64), -64) / 8e-12, 1, 1e-6);
}

std::string refusal_of(const FailureOptions& failure) {
  return config_error_of([&] { zone_with({failure}); });
}

TEST(FailureSchedule, WhatMakesNoSenseIsRefused) {
  const auto says = [](const FailureOptions& failure, const std::string& words) {
    EXPECT_NE(refusal_of(failure).find(words), std::string::npos) << refusal_of(failure);
  };
  says({}, "failure[0]: nothing fails");
  says({.link = {"rtsw0", "ctsw0"}, .node = "rtsw0"}, "both link and node");
  says({.link = {"rtsw0"}}, "1 names");
  says({.node = "rtws0"}, "did you mean \"rtsw0\"?");
  says({.link = {"rtsw0", "rtsw1"}}, "joined by 0 cables; name two neighbours");
  says({.link = {"rtsw0", "ctsw1"}, .cable = 3}, "joined by 2 cables, not by 3");
  says({.cable = 1, .node = "rtsw0"}, "failure[0].cable");
  says({.node = "gpu0", .at_ps = 5, .until_ps = 5}, "failure[0].until");
  says({.node = "gpu0", .times = 2}, "failure[0].times");
  says({.node = "gpu0", .at_ps = 5, .until_ps = 15, .times = 2, .period_ps = 10}, "failure[0].period");
  says({.node = "gpu0", .until_ps = 15, .period_ps = 10}, "failure[0].period");
  says({.node = "gpu0", .kind = "rate", .rate_bits_per_s = 400'000'000'000}, "not below the line rate");
  EXPECT_NE(config_error_of([] { zone_with({.detect_ps = 2, .converge_ps = 1}, {}); }).find("failures.converge"),
            std::string::npos);
  EXPECT_NE(config_error_of([] { zone_with({.mtbf_hours = 1}, {}); }).find("need an end"), std::string::npos);
  EXPECT_NE(config_error_of([] {
              zone_with({.mtbf_hours = 1e-9, .mttr_ps = 1, .until_ps = 3'600'000 * i64{1'000'000}}, {});
            }).find("times in all"),
            std::string::npos);
}

/// 16 cables, each up for 36 ms and down for 4 ms on average: a tenth of the time is lost.
TEST(FailureSchedule, RandomFailuresHaveTheirMeans) {
  const FailureSettings settings = {.mtbf_hours = 1e-5, .mttr_ps = 4 * kMs, .until_ps = 4000 * kMs};
  const World world = zone_with(settings, {});
  EXPECT_EQ(links_that_change(world), 32u) << "those of NICs stay up";
  double down_ps = 0, failures = 0;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    TimePs since = -1;
    for (const LinkChange& c : world.failures.of(l)) {
      if (since >= 0) down_ps += static_cast<double>(c.at_ps - since);
      failures += !c.state.up();
      since = c.state.up() ? -1 : c.at_ps;
    }
  }
  EXPECT_NEAR(failures / 32, 100, 10);
  EXPECT_NEAR(down_ps / failures, 4e9, 4e8);
  FailureSettings other = settings;
  other.seed = 2;
  EXPECT_NE(zone_with(other, {}).failures.changes[0].at_ps, world.failures.changes[0].at_ps);
  other = settings;
  other.cables = "all";
  EXPECT_EQ(links_that_change(zone_with(other, {})), 64u);
}

/// Of 16 cables between switches, 16 of NICs.
TEST(FailureSchedule, APartOfTheCablesIsDead) {
  const auto dead = [](double fraction, const char* cables = "switches", u64 seed = 1) {
    return zone_with({.dead_fraction = fraction, .cables = cables, .seed = seed}, {});
  };
  EXPECT_EQ(links_that_change(dead(0.1)), 2 * 2u) << "1.6 cables";
  EXPECT_EQ(links_that_change(dead(0.25)), 2 * 4u);
  EXPECT_EQ(links_that_change(dead(0.25, "all")), 2 * 8u);
  EXPECT_EQ(links_that_change(dead(1, "nics")), 2 * 16u);
  const World quarter = dead(0.25), half = dead(0.5), other = dead(0.25, "switches", 2);
  u32 same = 0;
  for (LinkId l = 0; l < quarter.fabric.links.size(); ++l) {
    if (quarter.failures.of(l).empty()) continue;
    EXPECT_FALSE(half.failures.of(l).empty()) << "what is dead stays dead when more are";
    same += !other.failures.of(l).empty();
    const LinkChange& change = quarter.failures.of(l)[0];
    EXPECT_TRUE(change.at_ps == 0 && !change.state.up() && quarter.failures.of(l).size() == 1);
  }
  EXPECT_LT(same, 8u) << "another seed, other cables";
}

constexpr std::string_view kText = R"(
[topology]
kind = "star"
hosts = 4
[[message]]
src = 0
dst = 1
bytes = "1 MiB"
[failures]
detect = "100 us"
[[failure]]
link = ["gpu0", "switch0"]
at = "20 us"
until = "40 us"
)";

/// 20 us at 400 Gb/s are 1 MB: packets that were lost or could not be sent during the outage follow after it.
TEST(FailureSchedule, ARunLosesWhatWasOnTheWay) {
  const World world = build_world(kText, "test.toml");
  EXPECT_EQ(links_that_change(world), 2u);
  EXPECT_TRUE(refusals_of(world).empty());
  Engine engine(world, {});
  engine.advance(world.clocks.horizon_ps);
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_GT(outcome.totals.drops[static_cast<u32>(DropCause::link_down)], 0u);
  EXPECT_GT(outcome.end_ps, 40'000'000);
}

/// A World with an impossible schedule, made without the configuration.
TEST(FailureSchedule, TheEngineRefusesSchedulesThatCannotBe) {
  World world = build_world(kText, "test.toml");
  world.failures.changes[0].state.ps_per_byte_q16 = 1;  // only one direction, and faster than its table
  EXPECT_THROW(Engine(world, {}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
