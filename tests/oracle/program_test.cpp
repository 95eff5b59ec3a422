// Programs of two GPUs against the sums of their operations.
#include <gtest/gtest.h>

#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_program.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

constexpr TimePs kCompute = 5'000'000;
constexpr u8 kData = static_cast<u8>(Group::data);

Op compute(TimePs ps) { return {OpKind::compute, kNoGroup, 0, 0, ps}; }
Op collective() { return {OpKind::collective, kNoGroup, 0, 0, 0}; }
Op wait_for(u16 stream, u32 n, u8 group = kNoGroup) { return {OpKind::wait, group, stream, n, 0}; }

/// Both GPUs of ring_of_two() run these streams; its all-gather is done once an iteration.
World with_program(const std::vector<std::vector<Op>>& streams, u32 iterations) {
  World world = ring_of_two(1, false, 1);
  CollectivePlan& plan = world.collectives;
  plan.jobs[0].by_program = true;
  for (u32 i = 1; i < iterations; ++i) {
    plan.collectives.push_back(plan.collectives[0]);
    plan.jobs[0].collectives.push_back(i);
  }
  set_program(world, streams, iterations);
  world.programs.runs = {{0, 0, 0, 0}, {1, 0, 0, 0}};
  return world;
}

/// Time of the all-gather when both ranks enter at once.
TimePs gather_ps() { return simulate(ring_of_two(1, false, 1), {}).end_ps; }

TEST(OracleProgram, AComputationThenACollectiveThatIsAwaited) {
  const World world = with_program({{compute(kCompute), wait_for(1, 2, kData)}, {wait_for(0, 1), collective()}}, 2);
  const Outcome outcome = simulate(world, {});
  const TimePs step = kCompute + gather_ps();
  ASSERT_EQ(outcome.reason, EndReason::complete);
  ASSERT_EQ(outcome.iterations.size(), 2u);
  for (u32 i = 0; i < 2; ++i) {
    const IterationOutcome& iteration = outcome.iterations[i];
    EXPECT_EQ(outcome.collectives[i].first_enter_ps, i * step + kCompute);
    EXPECT_EQ(iteration.first_begin_ps, i * step);
    EXPECT_EQ(iteration.last_end_ps, (i + 1) * step);
    EXPECT_EQ(iteration.gpus_ended, 2u);
    EXPECT_EQ(iteration.compute_ps, static_cast<u64>(2 * kCompute));
    EXPECT_EQ(iteration.waited_ps[kData], static_cast<u64>(2 * gather_ps()));
    EXPECT_EQ(iteration.max_waited_ps[kData], gather_ps());
    EXPECT_EQ(iteration.waited_ps[static_cast<u32>(Group::tensor)], 0u);
  }
  EXPECT_EQ(outcome.end_ps, 2 * step);
}

/// The all-gather is the only stage of a composed collective, which both ranks enter at kCompute.
World composed_of_a_gather() {
  World world = with_program({{{.kind = OpKind::entered, .n = 1}, collective(), {.kind = OpKind::finish, .n = 1}}}, 1);
  CollectivePlan& plan = world.collectives;
  Job whole;
  whole.ranks = plan.jobs[0].ranks;
  whole.composed = true;
  whole.collectives = {1};
  whole.groups = {{static_cast<u32>(plan.channel_ends.size()), 0, static_cast<u32>(plan.connections.size()), 0, 0}};
  plan.jobs.push_back(whole);
  Collective composed;
  composed.job = 1;
  composed.start_ps = kCompute;
  composed.composed = true;
  composed.schedule = static_cast<u32>(plan.schedules.size());
  plan.schedules.push_back({});
  plan.collectives.push_back(composed);
  return world;
}

TEST(OracleProgram, AComposedCollectiveLastsAsLongAsItsStages) {
  const Outcome outcome = simulate(composed_of_a_gather(), {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.collectives[1].first_enter_ps, kCompute);
  EXPECT_EQ(outcome.collectives[0].last_enter_ps, kCompute) << "it has no launch of its own";
  EXPECT_EQ(outcome.collectives[1].last_finish_ps, kCompute + gather_ps());
  EXPECT_EQ(outcome.collectives[1].ranks_finished, 2u);
}

TEST(OracleProgram, WhatIsComputedMeanwhileIsNotExposed) {
  const TimePs half = gather_ps() / 2;
  const World world = with_program({{compute(half), wait_for(1, 1, kData)}, {collective()}}, 1);
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.collectives[0].first_enter_ps, 0);
  EXPECT_EQ(outcome.iterations[0].max_waited_ps[kData], gather_ps() - half);
  EXPECT_EQ(outcome.end_ps, gather_ps());
}

/// Computations at the same time count once, and a wait only while nothing is computed: here the wait runs beside two
/// computations, then alone, then beside a third, then alone.
TEST(OracleProgram, TheAccountOfAnIterationAddsUp) {
  const TimePs part = gather_ps() / 8;
  const World world = with_program({{collective()},
                                    {wait_for(0, 1, kData)},
                                    {compute(2 * part), {OpKind::delay, kData, 0, 0, part}, compute(part)},
                                    {compute(part)}},
                                   1);
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.end_ps, gather_ps());
  EXPECT_EQ(outcome.iterations[0].max_compute_ps, 3 * part);
  EXPECT_EQ(outcome.iterations[0].max_waited_ps[kData], gather_ps() - 3 * part);
}

TEST(OracleProgram, ASlowGpuMakesTheOtherWait) {
  World world = with_program({{compute(kCompute), wait_for(1, 2, kData)}, {wait_for(0, 1), collective()}}, 1);
  world.programs.runs[1].slower_q16 = 32768;
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.collectives[0].first_enter_ps, kCompute);
  EXPECT_EQ(outcome.collectives[0].last_enter_ps, kCompute * 3 / 2);
  EXPECT_EQ(outcome.iterations[0].max_compute_ps, kCompute * 3 / 2);
  EXPECT_EQ(outcome.iterations[0].compute_ps, static_cast<u64>(kCompute * 5 / 2));
  EXPECT_GE(outcome.end_ps, kCompute * 3 / 2);
}

TEST(OracleProgram, JitterIsDrawnForEveryIteration) {
  World world = with_program({{compute(kCompute), collective()}}, 2);
  world.programs.tasks[0].jitter_q16 = 65536;
  const Outcome outcome = simulate(world, {});
  const TimePs first = outcome.iterations[0].max_compute_ps, second = outcome.iterations[1].max_compute_ps;
  EXPECT_NE(first, second);
  for (const TimePs most : {first, second}) {
    EXPECT_GT(most, kCompute);
    EXPECT_LT(most, 2 * kCompute);
  }
}

/// A delay stands for communication: no jitter stretches it, and the GPU does not compute meanwhile, but counts as
/// waiting.
TEST(OracleProgram, ADelayTakesWhatTheTableSays) {
  const Op delay{OpKind::delay, kData, 0, 0, kCompute};
  World world = with_program({{wait_for(1, 1, kData), collective()}, {delay}}, 1);
  world.programs.runs[1].slower_q16 = 32768;
  world.programs.tasks[0].jitter_q16 = 65536;
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.collectives[0].first_enter_ps, kCompute);
  EXPECT_EQ(outcome.collectives[0].last_enter_ps, kCompute);
  EXPECT_EQ(outcome.iterations[0].compute_ps, 0u);
  EXPECT_EQ(outcome.iterations[0].waited_ps[kData], static_cast<u64>(2 * kCompute));
}

TEST(OracleProgram, StreamsThatWaitForEachOtherStall) {
  const World world = with_program({{wait_for(1, 1), collective()}, {wait_for(0, 1)}}, 1);
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::stalled);
  EXPECT_EQ(outcome.iterations[0].gpus_ended, 0u);
  EXPECT_EQ(outcome.iterations[0].last_begin_ps, 0);
}

}  // namespace
}  // namespace heddle::oracle
