// Estimated length of a run, against runs to the end.
#include "host/check/estimates/run_time.hpp"

#include <gtest/gtest.h>

#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

World world_of(const std::string& text) { return build_world(text, "test.toml"); }

constexpr const char* kZone =
    "[topology]\nkind = \"ai_zone\"\nracks = 8\ngpus_per_rack = 16\nctsws = 4\nuplinks_per_rtsw = 8\n";

std::string ring(const std::string& sizes) {
  return std::string(kZone) +
         "[[job]]\nalgorithm = \"ring\"\nprotocol = \"simple\"\n[[job.collective]]\nkind = \"all_reduce\"\nsizes = [" +
         sizes + "]\n";
}

RunTime expect(const World& world, const Cost& cost, const Calibration& trial, bool sends_again = false) {
  return expected_run_time(world, cost, link_loads(world), sends_again, trial);
}

struct Trial {
  RunTime expected;
  double simulated_ps = 0, ticks = 0;
};

/// Estimates from a trial of `trial_ticks` ticks, and runs to the end.
Trial run(const World& world, u64 trial_ticks) {
  const Cost cost = estimate_cost(world);
  Trial r{expect(world, cost, calibrate(world, cost, 1e9, trial_ticks))};
  Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
  while (engine.advance(kNever)) {
  }
  r.simulated_ps = static_cast<double>(engine.outcome().end_ps);
  r.ticks = static_cast<double>(engine.ticks());
  return r;
}

void expect_within(const Trial& r, double factor) {
  const double simulated = static_cast<double>(r.expected.simulated_ps);
  EXPECT_GT(simulated, r.simulated_ps / factor);
  EXPECT_LT(simulated, r.simulated_ps * factor);
  EXPECT_GT(r.expected.ticks, r.ticks / factor);
  EXPECT_LT(r.expected.ticks, r.ticks * factor);
}

TEST(RunTime, OfARingThatOnlyWaits) { expect_within(run(world_of(ring("\"1 MiB\"")), 300), 1.5); }

TEST(RunTime, OfRingsOfManySizes) { expect_within(run(world_of(ring("\"1 MiB\", \"4 MiB\", \"64 MiB\"")), 300), 2); }

TEST(RunTime, OfMessagesThatFillTheLinks) {
  const World world = world_of(std::string(kZone) +
                               "[routing]\npolicy = \"e_ecmp\"\n[workload]\nqps_per_pair = 16\n"
                               "[[generator]]\nkind = \"permutation\"\nbytes = \"256 KiB\"\nmessages = 16\n");
  expect_within(run(world, 30), 2);  // the estimate assumes that E-ECMP divides them evenly
}

/// Trials that saw only connections being made gave "at least 30 hours" and "at least 5 days", a larger World without a
/// trial "some 46 hours".
TEST(RunTime, ATrialThatIsTooShortChangesNothing) {
  const World world = world_of(ring("\"64 MiB\""));
  const Cost cost = estimate_cost(world);
  Calibration short_trial;
  short_trial.measured = true;
  short_trial.middle = {2'000'000, 3, 10, 0.003};
  short_trial.end = {5'000'000, 8, 100, 0.007};
  const RunTime tried = expect(world, cost, short_trial), not_tried = expect(world, cost, {});
  EXPECT_EQ(tried.simulated, Sure::at_least);
  EXPECT_DOUBLE_EQ(tried.cpu_s, not_tried.cpu_s);
  EXPECT_DOUBLE_EQ(tried.min_cpu_s, not_tried.min_cpu_s);
  EXPECT_LE(tried.min_cpu_s, tried.cpu_s);
  EXPECT_DOUBLE_EQ(tried.min_cpu_s, cost.packet_hops * short_trial.hop_s);
}

/// The run takes at least as long as a NIC needs to send all its data.
TEST(RunTime, OfAllPairsIsThatOfTheNics) {
  const World world =
      world_of(std::string(kZone) + "[[job]]\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"64 MiB\"]\n");
  const RunTime time = expect(world, estimate_cost(world), {});
  EXPECT_EQ(time.simulated, Sure::at_least);
  EXPECT_GT(time.simulated_ps, 1'000'000'000) << "64 MiB at 400 Gb/s";
  EXPECT_LE(static_cast<double>(time.simulated_ps), run(world, 300).simulated_ps);
}

TEST(RunTime, EndsAtTheHorizon) {
  const World world = world_of("[simulation]\nhorizon = \"200 us\"\n" + ring("\"64 MiB\""));
  const Cost cost = estimate_cost(world);
  const RunTime time = expect(world, cost, calibrate(world, cost, 1e9, 100));
  EXPECT_EQ(time.simulated_ps, 200'000'000);
  EXPECT_EQ(time.simulated, Sure::exactly);
}

TEST(RunTime, IsExactOnceItWasRun) {
  const Trial r = run(world_of(std::string(kZone) + "[[message]]\nsrc = 0\ndst = 100\nbytes = \"1 MiB\"\n"), 100'000);
  EXPECT_EQ(static_cast<double>(r.expected.simulated_ps), r.simulated_ps);
  EXPECT_EQ(r.expected.ticks, r.ticks);
}

/// A ring of 16,384 GPUs was estimated as 27 s by its packets alone: nearly all its ticks have few packets.
TEST(RunTime, CountsTicksInWhichFewPacketsPass) {
  World world = world_of(ring("\"1 MiB\""));
  const Cost cost = estimate_cost(world);
  Calibration c;
  c.measured = true;
  c.hop_s = 1e-7;
  c.middle = {200'000'000, 20, 1000, 0.1};  // when the ring is in steady state
  c.end = {400'000'000, 40, 2000, 0.3};     // 0.2 s for 1,000 packet-hops and 20 ticks
  const RunTime time = expect(world, cost, c);
  EXPECT_GT(time.cpu_s, (time.ticks - 40) * 0.009);
  EXPECT_LT(time.cpu_s, time.ticks * 0.011);
  EXPECT_GT(time.cpu_s, 100 * cost.packet_hops * c.hop_s);
}

TEST(RunTime, ATrialThatWasIdleInTheEndForetellsFewTicks) {
  const World world = world_of(std::string(kZone) +
                               "[[message]]\nsrc = 0\ndst = 100\nbytes = 4096\n"
                               "[[message]]\nsrc = 0\ndst = 100\nbytes = 4096\npost = \"100000 s\"\n");
  Calibration c;
  c.measured = true;
  c.hop_s = 1e-7;
  c.middle = {10'000'000'000'000, 20, 20, 0.1};
  c.end = {20'000'000'000'000, 20, 20, 0.2};
  const RunTime time = expect(world, estimate_cost(world), c);
  EXPECT_LT(time.ticks, 1e6);
  EXPECT_LT(time.cpu_s, 3600);
}

TEST(RunTime, NothingThatIsTooLargeIsTried) {
  const World world = world_of(ring("\"1 MiB\""));
  Cost cost = estimate_cost(world);
  cost.memory.fabric.state_bytes = u64{1} << 40;
  const Calibration c = calibrate(world, cost, 1);
  EXPECT_FALSE(c.measured);
  const RunTime time = expect(world, cost, c);
  EXPECT_NE(run_time_text(time, c).find("too large for a trial run here"), std::string::npos);
}

/// The NICs alone would take 90 us. An estimate that assumed even sharing was 2 to 4.7 times too low for hashed flows.
TEST(RunTime, OfMessagesIsThatOfTheFullestLink) {
  const World world = world_of(std::string(kZone) +
                               "[dcqcn]\nenabled = false\n[routing]\npolicy = \"ecmp\"\n"
                               "[[generator]]\nkind = \"permutation\"\nbytes = \"256 KiB\"\nmessages = 16\n");
  const Trial r = run(world, 30);
  EXPECT_EQ(r.expected.simulated, Sure::at_least);
  EXPECT_LE(static_cast<double>(r.expected.simulated_ps), r.simulated_ps);
  EXPECT_GT(static_cast<double>(r.expected.simulated_ps), 0.8 * r.simulated_ps);
  const Calibration trial = calibrate(world, estimate_cost(world), 1e9, 30);
  EXPECT_NE(run_time_text(r.expected, trial).find(": at least "), std::string::npos)
      << run_time_text(r.expected, trial);
}

/// A run of a minute was estimated as "less than a second: 0 ps of simulated time in 0 ticks".
TEST(RunTime, OfWhatIsTooLargeToTryFollowsFromItsLinks) {
  const World world = world_of(std::string(kZone) + "[[message]]\nsrc = 0\ndst = 100\nbytes = \"1 MiB\"\n");
  const RunTime time = expect(world, estimate_cost(world), {});
  EXPECT_GT(time.simulated_ps, 20'000'000);
  EXPECT_GT(time.ticks, 30);
  EXPECT_EQ(time.simulated, Sure::at_least);
  EXPECT_EQ(time.cpu, Sure::roughly);
}

TEST(RunTime, IsNotKnownWhereNothingTells) {
  const World world = world_of(
      "[topology]\nkind = \"ai_zone\"\nracks = 512\n[[job]]\ngpus = 16\n"
      "[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"128 B\"]\n");
  const Calibration nothing;
  const RunTime time = expect(world, estimate_cost(world), nothing);
  EXPECT_EQ(time.simulated, Sure::not_known);
  const std::string text = run_time_text(time, nothing);
  EXPECT_EQ(text.find("run time   not known"), 0u) << text;
  EXPECT_EQ(text.find("0 ps"), std::string::npos) << text;
}

TEST(RunTime, IsToldWithHowSureItIsAndWhereItComesFrom) {
  RunTime time{.simulated_ps = 3'000'000'000, .ticks = 1.5e6, .cpu_s = 37, .packets_share = 0.25};
  Calibration trial;
  trial.measured = true;
  trial.end.now_ps = 20'000'000;
  EXPECT_EQ(run_time_text(time, trial),
            "run time   about 37 s on one core of this machine: about 3 ms of simulated time in 1.5e+06 ticks; packets "
            "take 25 % of it, visits to nodes without packets the rest (from the first 20 us, run here)\n");
  trial.without_controller = true;
  EXPECT_NE(run_time_text(time, trial).find("run here, without the controller that measures)"), std::string::npos);
  trial.over = true;
  time.simulated = Sure::exactly;
  time.packets_share = -1;
  EXPECT_NE(run_time_text(time, trial).find(": 3 ms of simulated time in 1.5e+06 ticks (it was run, without"),
            std::string::npos)
      << run_time_text(time, trial);
  Calibration refused;
  refused.refusal = "no room";
  time.simulated = Sure::at_least;
  time.cpu = Sure::roughly;
  time.min_cpu_s = 5;
  const std::string text = run_time_text(time, refused);
  EXPECT_NE(text.find("run time   some 37 s, at least 5 s on one core"), std::string::npos) << text;
  EXPECT_NE(text.find(": at least 3 ms of simulated time"), std::string::npos) << text;
  EXPECT_NE(text.find("(it could not be tried: no room)"), std::string::npos) << text;
  time.cpu_s = 0.1;
  EXPECT_NE(run_time_text(time, refused).find("run time   less than a second on"), std::string::npos);
}

TEST(RunTime, SaysHowTheTrialEnded) {
  const World world = world_of(std::string(kZone) +
                               "[roce]\nrto = \"5 us\"\nrto_tries = 2\n[[message]]\nsrc = 0\ndst = 100\n"
                               "bytes = \"1 MiB\"\n");
  const Calibration trial = calibrate(world, estimate_cost(world), 1e9, 100'000);
  EXPECT_TRUE(trial.over);
  const std::string warning = trial_warning(trial);
  EXPECT_NE(warning.find("it ended early: qp_failed at "), std::string::npos) << warning;
  EXPECT_NE(warning.find("nothing was dropped"), std::string::npos) << warning;
}

TEST(RunTime, IsTheLeastWherePacketsAreSentAgain) {
  const World world = world_of("[simulation]\nhorizon = \"200 us\"\n" + ring("\"64 MiB\""));
  const Cost cost = estimate_cost(world);
  EXPECT_EQ(expect(world, cost, calibrate(world, cost, 1e9, 100), true).cpu, Sure::at_least);
  Calibration trial = calibrate(world, cost, 1e9, 100);
  trial.needless_timeouts = 3;
  EXPECT_EQ(expect(world, cost, trial).cpu, Sure::at_least);
  EXPECT_NE(trial_warning(trial).find("3 retransmission timeouts fired though nothing was dropped"), std::string::npos);
}

}  // namespace
}  // namespace heddle
