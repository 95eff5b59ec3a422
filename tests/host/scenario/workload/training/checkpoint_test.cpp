// Checkpoints of training jobs: who writes what to whom, when, and what iterations lose by it.
#include "host/scenario/workload/training/checkpoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "io/results/iterations.hpp"
#include "io/results/training_checkpoints.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

constexpr TimePs kUs = 1'000'000;

/// Two GPUs on a star with three more hosts; four iterations.
std::string job(const std::string& checkpoint) {
  return "[topology]\nkind = 'star'\nhosts = 5\n[workload]\njitter_packets = 0\nhandover = '2 us'\n"
         "[[job]]\ngpus = 2\ngpus_per_server = 1\n"
         "[job.training]\nmodel = 'custom'\nlayers = 1\nhidden = 64\nffn_hidden = 64\nattention_heads = 4\n"
         "kv_heads = 4\nvocabulary = 8\nsequence_length = 16\nforward = '10 us'\niterations = 4\n"
         "[job.training.checkpoint]\n" +
         checkpoint;
}

/// The same beside a frontend of two CPU NICs for each of its servers of one GPU, and three storage servers.
std::string with_frontend(const std::string& checkpoint) {
  return job("fabric = 'frontend'\n" + checkpoint) +
         "[[fabric]]\nname = 'frontend'\nstorage_hosts = 3\n[fabric.topology]\nkind = 'star'\nhosts = 13\n";
}

struct Saved {
  World world;
  Outcome outcome;
  std::vector<IterationRow> iterations;
  std::vector<TrainingCheckpoint> checkpoints;

  explicit Saved(const std::string& toml) : world(build_world(toml, "test.toml")) {
    Engine engine(world, EngineOptions{});
    while (engine.advance(kNever)) {
    }
    outcome = engine.outcome();
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    iterations = iteration_rows(world, outcome);
    checkpoints = training_checkpoints(world, outcome);
  }
  TimePs storage_ps(u32 iteration) const {
    return iterations[iteration].max_exposed_ps[static_cast<u32>(Group::storage)];
  }
};

const char* const kBlocking = "every = 2\nfirst_host = 2\nhosts = 3\nbytes_per_gpu = '100 KB'\nchunk = '40 KB'\n";

TEST(Checkpoint, TheNextIterationWaitsUntilItIsWritten) {
  const Saved run{job(kBlocking)};
  ASSERT_EQ(run.checkpoints.size(), 2u);
  for (const u32 quiet : {0u, 2u}) EXPECT_EQ(run.storage_ps(quiet), 0);
  for (const u32 k : {0u, 1u}) {
    const TrainingCheckpoint& checkpoint = run.checkpoints[k];
    EXPECT_EQ(checkpoint.bytes, 200'000u);
    EXPECT_EQ(checkpoint.messages, 6u) << "40 + 40 + 20 KB of each GPU";
    const IterationRow& iteration = run.iterations[2 * k + 1];
    EXPECT_EQ(iteration.end_ps, checkpoint.end_ps + 2 * kUs) << "the GPU hears of it by the handover";
    EXPECT_GE(run.storage_ps(2 * k + 1), checkpoint.end_ps - checkpoint.begin_ps + 2 * kUs);
  }
}

TEST(Checkpoint, SaysWhatStepsLostByIt) {
  const Saved run{job(kBlocking)};
  for (const u32 k : {0u, 1u}) {
    const TrainingCheckpoint& checkpoint = run.checkpoints[k];
    EXPECT_EQ(checkpoint.iteration, 2 * k + 1);
    EXPECT_EQ(checkpoint.fabric, "gpus");
    EXPECT_LE(checkpoint.servers, 3u);
    EXPECT_EQ(checkpoint.step_ps, run.iterations[2 * k + 1].time_ps);
    EXPECT_EQ(checkpoint.next_step_ps, k == 0 ? run.iterations[2].time_ps : -1);
    const double waits_ps = run.iterations[2 * k + 1].exposed_ps[static_cast<u32>(Group::storage)];
    EXPECT_DOUBLE_EQ(checkpoint.exposed_ps, waits_ps);
    EXPECT_DOUBLE_EQ(checkpoint.undisturbed_step_ps,
                     static_cast<double>(run.iterations[0].time_ps + run.iterations[2].time_ps) / 2);
  }
}

TEST(Checkpoint, AStepThatOneOverlapsIsDisturbed) {
  const Saved run{job(std::string(kBlocking) + "blocking = false\ncopy_rate = '10 GB/s'\n")};
  ASSERT_GT(run.checkpoints[0].end_ps, run.iterations[1].end_ps);
  EXPECT_DOUBLE_EQ(run.checkpoints[0].undisturbed_step_ps, static_cast<double>(run.iterations[0].time_ps));
}

TEST(Checkpoint, AJobThatWritesOneAfterEveryStepHasNoUndisturbedStep) {
  const Saved run{job("every = 1\nfirst_host = 2\nhosts = 3\nbytes_per_gpu = '100 KB'\n")};
  ASSERT_EQ(run.checkpoints.size(), 4u);
  EXPECT_TRUE(std::isnan(run.checkpoints[0].undisturbed_step_ps));
  EXPECT_EQ(more_than_undisturbed(run.checkpoints[0], run.checkpoints[0].step_ps), "-");
}

TEST(Checkpoint, ItsMessagesAreNotThoseOfTheWorkload) {
  const std::string own = "[[message]]\nsrc = 2\ndst = 3\nbytes = '1 KB'\n";
  const Saved run{job(kBlocking) + own};
  std::vector<u32> of{0, 0, 0};  // none, the first, the second
  for (const MessageOwner& owner : owners_of_messages(run.world)) ++of.at(static_cast<u32>(owner.checkpoint + 1));
  EXPECT_EQ(of, (std::vector<u32>{1, 6, 6}));
  const std::vector<MessageKindSummary> kinds =
      message_kinds(run.world, run.outcome, times_of_messages(run.world, run.outcome, true));
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds.size(), count_message_kinds(run.world));
  EXPECT_TRUE(told_apart(kinds));
  EXPECT_TRUE(kinds[0].own());
  EXPECT_EQ(kinds[0].messages, 1u);
  EXPECT_EQ(kinds[0].received_bytes, 1000u);
  EXPECT_EQ(kinds[1].kind.job, 0);
  EXPECT_EQ(kinds[1].times.finished, 12u);
  EXPECT_EQ(kinds[1].received_bytes, 400'000u);
  EXPECT_LT(kinds[0].times.find(100)->completion_ps, kinds[1].times.find(50)->completion_ps);
}

TEST(Checkpoint, DataThatTheJobReadsAreNoPartOfIt) {
  const Saved run{job(kBlocking) + "[job.training.data]\nfirst_host = 2\nhosts = 3\nbytes_per_gpu = '10 KB'\n"};
  EXPECT_EQ(run.checkpoints.size(), 2u);
  const std::vector<MessageKindSummary> kinds =
      message_kinds(run.world, run.outcome, times_of_messages(run.world, run.outcome, true));
  ASSERT_EQ(kinds.size(), 3u);
  EXPECT_EQ(kinds.size(), count_message_kinds(run.world));
  EXPECT_EQ(name_of(kinds[0]), "checkpoints of job 0, gpus, lossless");
  EXPECT_EQ(kinds[0].messages, 12u);
  EXPECT_EQ(name_of(kinds[1]), "data of job 0, gpus, lossless");
  EXPECT_EQ(kinds[1].messages, 8u) << "two GPUs, four iterations";
  EXPECT_EQ(kinds[1].received_bytes, 8u * 10'000);
  EXPECT_EQ(name_of(kinds[2]), "questions of job 0, gpus, lossless");
  EXPECT_EQ(kinds[2].received_bytes, 8u * 256);
}

TEST(Checkpoint, MessagesArePostedAHandoverAfterTheIteration) {
  const Saved run{job(kBlocking)};
  const ProgramRun& gpu = run.world.programs.runs[0];
  const Batch& first = run.world.programs.batches[gpu.first_batch];
  // An iteration without checkpoint ends when one with it would begin to write: the GPUs do the same in both.
  const TimePs computes_ps = run.iterations[0].end_ps - run.iterations[0].begin_ps;
  for (u32 i = first.first_posted; i < first.first_posted + first.posted; ++i) {
    const TimePs posted_ps = run.outcome.messages[run.world.programs.posted[i]].posted_ps;
    EXPECT_NEAR(static_cast<double>(posted_ps), static_cast<double>(run.iterations[0].end_ps + computes_ps + 2 * kUs),
                0.1 * kUs);
  }
}

TEST(Checkpoint, ACopyTakesItsTimeAndNoMore) {
  const Saved run{job(std::string(kBlocking) + "blocking = false\ncopy_rate = '10 GB/s'\n")};
  EXPECT_EQ(run.storage_ps(1), 10 * kUs) << "100 KB by 10 GB/s";
  EXPECT_GT(run.checkpoints[0].end_ps, run.iterations[1].end_ps) << "written while the next iteration runs";
}

TEST(Checkpoint, TheNextCopyWaitsForTheLastCheckpoint) {
  const std::string large = "every = 1\nfirst_host = 4\nhosts = 1\nbytes_per_gpu = '10 MB'\nblocking = false\n";
  const Saved run{job(large)};
  for (u32 k = 1; k < 4; ++k)
    EXPECT_GE(run.checkpoints[k].begin_ps, run.checkpoints[k - 1].end_ps + 2 * kUs + 200 * kUs) << "a copy: 200 us";
}

TEST(Checkpoint, SomeChunksAreWrittenAtOnce) {
  const Saved run{job(std::string(kBlocking) + "chunks_at_once = 1\n")};
  const auto& traffic = run.world.traffic;
  for (const ProgramRun& gpu : run.world.programs.runs) {
    for (u32 b = gpu.first_batch; b < gpu.first_batch + gpu.batches; ++b) {
      const Batch& batch = run.world.programs.batches[b];
      EXPECT_EQ(batch.posted, 1u);
      std::vector<MessageOutcome> chunks;
      for (u32 i = 0; i < 3; ++i)
        chunks.push_back(run.outcome.messages[run.world.programs.awaited[batch.first_awaited + i].message]);
      EXPECT_EQ(chunks[1].posted_ps, chunks[0].acked_ps);
      EXPECT_EQ(chunks[2].posted_ps, chunks[1].acked_ps);
    }
  }
  EXPECT_EQ(traffic.messages.size(), 12u);
  const auto of_messages = std::ranges::count(traffic.qps, kNone, &Qp::connection);
  EXPECT_LE(of_messages, 2 * 3) << "a connection of each GPU to each server, for all chunks and checkpoints";
}

TEST(Checkpoint, PartsOfAChunkGoToDifferentServers) {
  const World world = build_world(job(std::string(kBlocking) + "data_parts = 2\nparity_parts = 1\n"), "test.toml");
  u64 bytes = 0;
  for (const Message& m : world.traffic.messages) bytes += m.bytes;
  EXPECT_EQ(bytes, 2u * 2u * 150'000u) << "half as much again, of two checkpoints by two GPUs";
  const Batch& batch = world.programs.batches[0];
  ASSERT_EQ(batch.awaited, 9u);
  for (u32 chunk = 0; chunk < 3; ++chunk) {
    std::set<EndpointId> hosts;
    for (u32 part = 0; part < 3; ++part) {
      const u32 m = world.programs.awaited[batch.first_awaited + 3 * chunk + part].message;
      hosts.insert(world.traffic.qps[world.traffic.messages[m].qp].dst);
    }
    EXPECT_EQ(hosts, (std::set<EndpointId>{2, 3, 4}));
  }
}

TEST(Checkpoint, ByAnotherFabricACpuNicOfTheServerSends) {
  const Saved run{with_frontend("every = 4\nbytes_per_gpu = '100 KB'\n")};
  // Endpoints 0 to 4 are GPUs' NICs, 5 to 14 CPU NICs, two of each server, 15 to 17 storage servers.
  EXPECT_EQ(run.world.programs.runs[0].helper, 5u);
  EXPECT_EQ(run.world.programs.runs[1].helper, 7u);
  EXPECT_EQ(run.checkpoints.at(0).fabric, "frontend");
  for (const Message& m : run.world.traffic.messages) {
    const Qp& qp = run.world.traffic.qps[m.qp];
    EXPECT_TRUE(qp.src == 5 || qp.src == 7);
    EXPECT_GE(qp.dst, 15u);
  }
  EXPECT_EQ(run.iterations[3].end_ps, run.checkpoints[0].end_ps + 2 * kUs);
}

TEST(Checkpoint, StorageServersAreCountedAmongThoseOfTheirFabric) {
  const World world = build_world(with_frontend("every = 4\nfirst_host = 1\n"), "test.toml");
  for (const Qp& qp : world.traffic.qps) {
    if (qp.connection == kNone) {
      EXPECT_GE(qp.dst, 16u) << "all but the first of endpoints 15 to 17";
    }
  }
}

TEST(Checkpoint, TheModelSaysHowMuchIsWritten) {
  TrainingOptions options;
  options.model = "llama3_405b";
  const Transformer model = transformer_of(options, 0);
  // Llama 3: 2 B of BF16 and 12 B of FP32 and moments for each of 405 billion parameters, on 16,384 GPUs.
  EXPECT_NEAR(static_cast<double>(checkpoint_bytes(options.checkpoint, model, 16384)), 346e6, 2e6);
}

std::string refusal(const std::string& toml) {
  return test::message_of<ConfigError>([&] { build_world(toml, "test.toml"); });
}

TEST(Checkpoint, BadOptionsAreNamed) {
  EXPECT_NE(refusal(job("every = 1\n")).find("which hosts are storage servers"), std::string::npos);
  EXPECT_NE(refusal(job("every = 5\nfirst_host = 2\nhosts = 3\n")).find("no checkpoint would be written"),
            std::string::npos);
  EXPECT_NE(refusal(job("every = 1\nfirst_host = 1\nhosts = 3\n")).find("host 1 is a storage server and a GPU"),
            std::string::npos);
  EXPECT_NE(refusal(job("every = 1\nfirst_host = 3\nhosts = 3\n")).find("hosts 0 to 4"), std::string::npos);
  EXPECT_NE(refusal(job("every = 1\nfirst_host = 2\nhosts = 3\ndata_parts = 3\nparity_parts = 1\n"))
                .find("as many storage servers, and there are 3"),
            std::string::npos);
  const std::string large = "every = 1\nfirst_host = 2\nhosts = 3\nblocking = false\nbytes_per_gpu = '2 MB'\n";
  EXPECT_NE(refusal(job(large + "host_memory = '1 MB'\n")).find("to its memory, which has 1 MB"), std::string::npos);
  EXPECT_NE(refusal(with_frontend("every = 1\nfirst_host = 2\nhosts = 2\n"))
                .find("2 storage servers from first_host = 2 on, but fabric frontend has storage hosts 0 to 2"),
            std::string::npos);
  const std::string other =
      "[[job]]\ngpus = 2\nfirst_gpu = 2\ngpus_per_server = 1\n[[job.collective]]\nsizes = ['1 KB']\n";
  EXPECT_NE(refusal(job("every = 1\nfirst_host = 3\nhosts = 2\n") + other)
                .find("host 3 is a storage server and a GPU of job 1"),
            std::string::npos);
  EXPECT_NE(refusal(job("every = 1\nfabric = 'nowhere'\n")).find("no [[fabric]] is called"), std::string::npos);
  const std::string uneven = with_frontend("every = 1\n");
  EXPECT_NE(refusal(std::string(uneven).replace(uneven.find("storage_hosts = 3"), 17, "storage_hosts = 4"))
                .find("9 CPU NICs (13 hosts less 4 storage_hosts) for 5 servers"),
            std::string::npos);
}

TEST(Checkpoint, AHandoverBoundsTheTick) {
  std::string toml = job("every = 1\nfirst_host = 2\nhosts = 3\n");
  toml.replace(toml.find("'2 us'"), 6, "'5 ns'");
  EXPECT_LE(build_world(toml, "test.toml").clocks.tick_ps, 5000);
}

}  // namespace
}  // namespace heddle
