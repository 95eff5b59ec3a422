// Traces as jobs: programs of their ranks, and times of small ones; real traces where available.
#include "host/scenario/workload/trace/replay.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "io/error.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/io/formats/chakra_bytes.hpp"
#include "tests/scratch.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

std::string config_of(const std::string& hosts, const std::string& job, const std::string& format,
                      const std::string& file) {
  return "[topology]\nkind = 'star'\nhosts = " + hosts + "\n[[job]]\ngpus_per_server = 1\n" + job +
         "[job.trace]\nformat = '" + format + "'\nfile = '" + file + "'\n";
}

World world_of(const std::string& toml) { return build_world(toml, "test.toml"); }

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
  EXPECT_EQ(world.programs.programs[1].streams, 4u) << "computing, two partners, and the end";
  const Outcome outcome = run(world);
  ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.collectives[0].first_enter_ps, 0);
  EXPECT_EQ(outcome.collectives[1].first_enter_ps, 0) << "rank 2 waits from the start";
  const TimePs received = outcome.collectives[0].first_finish_ps;  // the sender is done when it learns of that
  EXPECT_EQ(outcome.collectives[1].last_enter_ps, received + 5'000'000);
  const TimePs one_way = received, second = outcome.collectives[1].first_finish_ps - received - 5'000'000;
  EXPECT_LT(second, one_way) << "its CTS is there already";
  // The last rank waits for its message from the start; the second one for its own message, and at the end for its
  // partner's.
  EXPECT_EQ(outcome.iterations[0].max_waited_ps[0], outcome.collectives[1].first_finish_ps);
}

TEST(Replay, AgainAndSlower) {
  std::string toml = config_of("3", "", "goal", file_of(kRelay));
  toml += "iterations = 2\ncompute_scale = 2.0\n";
  const World world = world_of(toml);
  EXPECT_EQ(world.collectives.collectives.size(), 4u);
  const Outcome outcome = run(world);
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.iterations[1].max_compute_ps, 10'000'000);
}

/// Exposed communication at the end is the time after all computing, on all processors of the rank, has ended.
TEST(Replay, WhatIsLeftAtTheEndIsWaitedFor) {
  const auto waited = [](const std::string& computations) {
    const World world = world_of(config_of("2", "", "goal",
                                           file_of("num_ranks 2\nrank 0 {\nsend 4096b to 1\n" + computations +
                                                   "}\nrank 1 {\nrecv 4096b from 0\n" + computations + "}\n")));
    const Outcome outcome = run(world);
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    return outcome.iterations[0].max_waited_ps[0];
  };
  const TimePs alone = waited("");
  EXPECT_GT(alone, 0);
  EXPECT_EQ(waited("calc 1000\ncalc 2000 cpu 1\n"), alone - 2'000'000);
  EXPECT_EQ(waited("calc 1000000\n"), 0) << "it was done meanwhile";
}

/// SimAI's updates wait beside the layers: that delays no layer, and no time counts twice.
TEST(Replay, WhatAnUpdateWaitsForIsNotStoodStillFor) {
  const std::string layer = "l -1 20000 ALLREDUCE 4096 20000 NONE 0 20000 ALLREDUCE 4096 ";
  const auto iteration = [&](const std::string& update) {
    const World world = world_of(config_of("4", "gpus = 4\n", "simai",
                                           file_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n2\n" + layer +
                                                   update + "\n" + layer + update + "\n")));
    const Outcome outcome = run(world);
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    return outcome.iterations[0];
  };
  const IterationOutcome without = iteration("0"), with = iteration("1000");
  for (const IterationOutcome& of : {without, with}) {
    u64 waited_ps = 0;
    for (const u64 ps : of.waited_ps) waited_ps += ps;
    const u64 layers_ps = 4 * 2 * 60'000'000;
    EXPECT_LE(layers_ps + waited_ps, 4 * static_cast<u64>(of.last_end_ps));
    EXPECT_GT(waited_ps, 0u);
  }
  EXPECT_GT(with.last_end_ps, without.last_end_ps) << "the layers wait for updates of what they wait for";
}

/// Computing and exposed communication are all of an iteration, however long computations and updates take.
void expect_account_adds_up(const World& world) {
  const Outcome outcome = run(world);
  ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  const IterationOutcome& of = outcome.iterations[0];
  u64 told_ps = of.compute_ps;
  for (const u64 ps : of.waited_ps) told_ps += ps;
  EXPECT_GE(told_ps, of.gpus_ended * static_cast<u64>(of.first_end_ps));
  EXPECT_LE(told_ps, of.gpus_ended * static_cast<u64>(of.last_end_ps));
}

TEST(Replay, TheAccountAddsUpWhateverComputes) {
  for (const char* pass : {"1", "20000"}) {
    for (const char* update : {"0", "1", "100", "50000"}) {
      const std::string reduce = " ALLREDUCE 65536 ",
                        layer = std::string("l -1 ") + pass + reduce + pass + reduce + pass + reduce + update + "\n";
      const World world = world_of(config_of(
          "4", "gpus = 4\n", "simai", file_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n2\n" + layer + layer)));
      expect_account_adds_up(world);
      const Outcome outcome = run(world);
      EXPECT_GT(outcome.iterations[0].waited_ps[static_cast<u32>(Group::tensor)], 0u) << pass << " " << update;
      EXPECT_GT(outcome.iterations[0].waited_ps[static_cast<u32>(Group::data)], 0u) << pass << " " << update;
    }
  }
  expect_account_adds_up(world_of(config_of(
      "2", "", "goal",
      file_of("num_ranks 2\nrank 0 {\na: send 4096b to 1\nb: calc 700 cpu 1\nb requires a\nc: recv 8b from 1 tag 2\n"
              "c requires b\ncalc 1000 cpu 3\n}\nrank 1 {\na: recv 4096b from 0\nb: calc 30000 cpu 1\nb requires a\n"
              "c: send 8b to 0 tag 2\nc requires b\ncalc 900\n}\n"))));
}

/// Both ranks send before they receive, as halo exchanges and rings do: after about one transfer both are done.
TEST(Replay, EagerSendsGoWhetherOrNotAnybodyReceives) {
  const std::string exchange = file_of(
      "num_ranks 2\nrank 0 {\na: send 1024b to 1 tag 1\nb: recv 1024b from 1 tag 2\nb requires a\n}\n"
      "rank 1 {\na: send 1024b to 0 tag 2\nb: recv 1024b from 0 tag 1\nb requires a\n}\n");
  const std::string one_way = file_of("num_ranks 2\nrank 0 {\nsend 1024b to 1\n}\nrank 1 {\nrecv 1024b from 0\n}\n");
  const Outcome both = run(world_of(config_of("2", "", "goal", exchange)));
  ASSERT_EQ(both.reason, EndReason::complete) << both.explanation;
  EXPECT_LT(both.end_ps, run(world_of(config_of("2", "", "goal", one_way))).end_ps * 3 / 2);
  EXPECT_THROW(world_of(config_of("2", "", "goal", exchange) + "eager_limit = '1023 B'\n"), InputError);
}

/// The data arrive while the receiver computes: its recv is done as soon as it is posted.
TEST(Replay, WhatCameBeforeItsRecvIsThere) {
  const std::string late = file_of(
      "num_ranks 2\nrank 0 {\nsend 1024b to 1\n}\nrank 1 {\na: calc 900000\nb: recv 1024b from 0\nb requires a\n"
      "c: calc 5000\nc requires b\n}\n");
  const Outcome eager = run(world_of(config_of("2", "", "goal", late)));
  EXPECT_EQ(eager.iterations[0].last_end_ps, 905'000'000);
  const Outcome meeting = run(world_of(config_of("2", "", "goal", late) + "eager_limit = '0 B'\n"));
  EXPECT_GT(meeting.iterations[0].last_end_ps, 910'000'000);
  EXPECT_EQ(meeting.collectives[0].last_enter_ps, 900'000'000);
}

/// A recv that was posted behind another recv is not done before it.
TEST(Replay, AReceiveWaitsForWhatItWaitsFor) {
  const Outcome outcome = run(world_of(config_of(
      "3", "", "goal",
      file_of("num_ranks 3\nrank 0 {\na: calc 400000\nb: send 8b to 2\nb requires a\n}\nrank 1 {\nsend 8b to 2\n}\n"
              "rank 2 {\na: recv 8b from 0\nb: recv 8b from 1\nb requires a\nc: calc 100\nc requires b\n}\n"))));
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_GT(outcome.iterations[0].last_end_ps, 400'000'000 + 6'600'000) << "c waits for both";
}

/// As SimAI blocks on the input gradient's collective, the gradient of the weights is computed behind it.
TEST(Replay, WeightGradientsWaitForTheInputGradientsCollective) {
  const World world = world_of(config_of("4", "gpus = 4\n", "simai",
                                         file_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4\n1\n"
                                                 "l -1 0 NONE 0 0 ALLREDUCE 4096 2000000 NONE 0 0\n")));
  const Outcome outcome = run(world);
  ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.iterations[0].last_end_ps, outcome.collectives[0].last_finish_ps + 2'000'000'000);
}

/// A computation that needs no message does not wait behind one that does.
TEST(Replay, WhatCanGoGoesFirst) {
  const World world =
      world_of(config_of("2", "", "goal",
                         file_of("num_ranks 2\nrank 0 {\na: calc 50000\ns: send 64b to 1\ns requires a\n}\n"
                                 "rank 1 {\nr: recv 64b from 0\nb: calc 1000\nb requires r\n"
                                 "c: calc 50000\n}\n")));
  const Outcome outcome = run(world);
  const TimePs received = outcome.collectives[0].first_finish_ps;
  EXPECT_LT(outcome.iterations[0].last_end_ps, received + 10'000'000) << "c is computed before the message has come";
}

/// The first send waits for an answer to the second one: LogGOPSim runs this, and so does Heddle.
TEST(Replay, SendsOfOnePairThatWaitForEachOtherRun) {
  const World world = world_of(config_of(
      "2", "", "goal",
      file_of("num_ranks 2\nrank 0 {\nx: recv 4b from 1 tag 9\na: send 8b to 1\na requires x\nsend 8b to 1\n}\n"
              "rank 1 {\nr: recv 8b from 0\nrecv 8b from 0\ny: send 4b to 0 tag 9\ny requires r\n}\n")));
  EXPECT_EQ(run(world).reason, EndReason::complete);
}

/// An empty message takes the time of its path, and its receiver waits for it.
TEST(Replay, EmptySendsAreWaitedFor) {
  for (const char* protocol : {"simple", "ll"}) {
    const World world = world_of(config_of(
        "2", std::string("protocol = '") + protocol + "'\n", "goal",
        file_of(
            "num_ranks 2\nrank 0 {\na: calc 50000\ns: send 0b to 1\ns requires a\n}\nrank 1 {\nrecv 0b from 0\n}\n")));
    const Outcome outcome = run(world);
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    EXPECT_GT(outcome.collectives[0].first_finish_ps, 50'000'000 + 6'600'000);
  }
}

/// Two ranks that each compute and do an all-reduce; one then sends a message that the other needs.
TEST(Replay, ChakraTracesRun) {
  const std::string prefix =
      test::chakra_trace(test::fresh_folder(),
                         {{test::computation(0, 5), test::collective(1, 0, 65536, {0}), test::sends(2, 1, 4096, {1})},
                          {test::computation(0, 9), test::collective(1, 0, 65536, {0}), test::receives(2, 0, 4096),
                           test::computation(3, 7, {2})}});
  const Outcome outcome = run(world_of(config_of("2", "", "chakra", prefix)));
  ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  EXPECT_EQ(outcome.iterations[0].max_compute_ps, 16'000'000);
  EXPECT_GT(outcome.iterations[0].last_end_ps, 16'000'000 + outcome.iterations[0].max_waited_ps[0] / 2);
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
  const std::string message = test::message_of<ConfigError>([&] { world_of(toml); });
  EXPECT_NE(message.find(why), std::string::npos) << toml << message;
}

TEST(Replay, WhatDoesNotFitIsRefused) {
  const std::string relay = file_of(kRelay);
  expect_refused(config_of("4", "gpus = 4\n", "goal", relay), "has 3 ranks, but the job has 4 GPUs");
  expect_refused(config_of("4", "gpus = 4\n", "goal", ""), "needs it");
  expect_refused(config_of("4", "", "simai", relay), "say how many");
  expect_refused(config_of("2", "", "goal", file_of("num_ranks 2\nrank 0 {\ncalc 1\n}\nrank 1 {\n}\n")), "nobody");
  expect_refused(config_of("3", "", "goal", relay) + "[[job.collective]]\nkind = 'all_reduce'\nsizes = ['1 KiB']\n",
                 "more than one of");
}

/// Original inputs of other projects, from beside the project's folder where there are any.
TEST(Replay, RealInputsRun) {
  const std::string data = "../shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no inputs of other projects are at hand";
  const Outcome tree = run(
      world_of(config_of("32", "", "goal", std::filesystem::absolute(data + "/goal/binary_tree_32.goal").string())));
  EXPECT_EQ(tree.reason, EndReason::complete);
  EXPECT_EQ(tree.iterations[0].gpus_ended, 32u);
  const Outcome scatter = run(world_of(
      config_of("4", "", "chakra",
                std::filesystem::absolute(data + "/chakra/reduce_scatter_4npus_1MB/reduce_scatter").string())));
  EXPECT_EQ(scatter.reason, EndReason::complete);
  EXPECT_EQ(scatter.collectives.size(), 1u);
  const auto workload = [&](const std::string& name) {
    return "[simulation]\nhorizon = '20 us'\n" +
           config_of("16", "gpus = 16\n", "simai",
                     std::filesystem::absolute(data + "/simai/" + name + ".txt").string());
  };
  for (const char* name :
       {"G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100", "L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100"})
    EXPECT_EQ(run(world_of(workload(name))).reason, EndReason::horizon) << name;
  EXPECT_THROW(world_of(workload("micro_all_reduce")), InputError) << "19 lines, of which SimAI runs one";
}

}  // namespace
}  // namespace heddle
