// Traces as jobs: programs of their ranks, and how long small ones take; real ones where they are at hand.
#include "host/workload/trace/replay.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/build.hpp"
#include "host/config/config.hpp"
#include "host/error.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/scratch.hpp"

namespace heddle {
namespace {

std::string config_of(const std::string& hosts, const std::string& job, const std::string& format,
                      const std::string& file) {
  return "[topology]\nkind = 'star'\nhosts = " + hosts + "\n[[job]]\ngpus_per_server = 1\n" + job +
         "[job.trace]\nformat = '" + format + "'\nfile = '" + file + "'\n";
}

World world_of(const std::string& toml) { return build_world(load_config_text(toml, "test.toml"), {}); }

std::string file_of(const std::string& text) {
  const std::string path = test::fresh_folder() + "/in.txt";
  std::ofstream(path) << text;
  return path;
}

Outcome run(const World& world) {
  Engine engine(world, EngineOptions{});
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

/// 0 sends to 1, which computes 5 us, then sends to 2.
constexpr const char* kRelay =
    "num_ranks 3\nrank 0 {\nsend 4096b to 1 tag 0\n}\nrank 1 {\na: recv 4096b from 0 tag 0\nb: calc 5000\nb requires "
    "a\n"
    "c: send 4096b to 2 tag 0\nc requires b\n}\nrank 2 {\nrecv 4096b from 1 tag 0\n}\n";

TEST(Replay, WhatWaitsBeginsWhenTheOtherIsDone) {
  const World world = world_of(config_of("3", "", "goal", file_of(kRelay)));
  ASSERT_EQ(world.collectives.jobs.size(), 2u);
  EXPECT_EQ(world.programs.programs.size(), 2u) << "the first and the last rank do alike";
  const Outcome outcome = run(world);
  ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.collectives[0].first_enter_ps, 0);
  EXPECT_EQ(outcome.collectives[1].first_enter_ps, 0) << "rank 2 waits from the start";
  const TimePs received = outcome.collectives[0].first_finish_ps;  // the sender is done when it knows
  EXPECT_EQ(outcome.collectives[1].last_enter_ps, received + 5'000'000);
  const TimePs one_way = received, second = outcome.collectives[1].first_finish_ps - received - 5'000'000;
  EXPECT_LT(second, one_way) << "its CTS is there already";
  EXPECT_EQ(outcome.iterations[0].most_waited_ps[0], received) << "computing waits for a collective of no group";
}

TEST(Replay, AgainAndSlower) {
  std::string toml = config_of("3", "", "goal", file_of(kRelay));
  toml += "iterations = 2\ncompute_scale = 2.0\n";
  const World world = world_of(toml);
  EXPECT_EQ(world.collectives.collectives.size(), 4u);
  const Outcome outcome = run(world);
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.iterations[1].most_compute_ps, 10'000'000);
}

/// All ranks do the same, so they share a program.
TEST(Replay, RanksThatDoTheSameShareAProgram) {
  const World world = world_of(config_of("4", "gpus = 4\n", "simai",
                                         file_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n1\nl -1 1000 "
                                                 "ALLREDUCE 4096 1 NONE 0 1 ALLREDUCE 4096 1\n")));
  EXPECT_EQ(world.programs.programs.size(), 1u);
  EXPECT_EQ(world.programs.runs.size(), 4u);
  EXPECT_EQ(world.collectives.jobs.size(), 4u);
  EXPECT_EQ(run(world).reason, EndReason::complete);
}

void expect_refused(const std::string& toml, const std::string& why) {
  try {
    world_of(toml);
    ADD_FAILURE() << "not refused";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(Replay, WhatDoesNotFitIsRefused) {
  const std::string relay = file_of(kRelay);
  expect_refused(config_of("4", "gpus = 4\n", "goal", relay), "has 3 ranks, but the job has 4 GPUs");
  expect_refused(config_of("4", "gpus = 4\n", "goal", ""), "needs it");
  expect_refused(config_of("4", "", "simai", relay), "say how many");
  expect_refused(config_of("2", "", "goal", file_of("num_ranks 2\nrank 0 {\ncalc 1\n}\n")), "nobody");
  expect_refused(config_of("3", "", "goal", relay) + "[[job.collective]]\nkind = 'all_reduce'\nsizes = ['1 KiB']\n",
                 "more than one of");
}

/// Inputs as they came from their projects, beside the project's folder where there are some.
TEST(Replay, RealInputsRun) {
  const std::string data = "../shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no inputs of other projects are at hand";
  const Outcome tree = run(
      world_of(config_of("32", "", "goal", std::filesystem::absolute(data + "/goal/binary_tree_32.goal").string())));
  EXPECT_EQ(tree.reason, EndReason::complete);
  EXPECT_EQ(tree.iterations[0].gpus_ended, 32u);
  for (const char* name : {"G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100",
                           "L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100", "micro_all_reduce"}) {
    const std::string toml =
        "[simulation]\nhorizon = '20 us'\n" +
        config_of("16", "gpus = 16\n", "simai", std::filesystem::absolute(data + "/simai/" + name + ".txt").string());
    EXPECT_EQ(run(world_of(toml)).reason, EndReason::horizon) << name;
  }
}

}  // namespace
}  // namespace heddle
