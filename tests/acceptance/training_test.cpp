// Steps of training jobs against closed forms: the bubble of a pipeline, overlap and its absence, stragglers, bytes,
// and two jobs on the same links.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

constexpr u32 kPipeline = static_cast<u32>(Group::pipeline), kData = static_cast<u32>(Group::data);
constexpr TimePs kMs = 1'000'000'000;

/// GPUs of a star without NVLink; layers whose forward pass takes `forward`.
std::string star_training(u32 gpus, const std::string& forward, const std::string& keys,
                          const char* algorithm = "ring") {
  return fmt::format(
      "[topology]\nkind = 'star'\nhosts = {}\n[[job]]\ngpus_per_server = 1\nchannels = 1\nalgorithm = '{}'\n"
      "protocol = 'simple'\n[job.training]\nmodel = 'custom'\nhidden = 64\nffn_hidden = 64\nattention_heads = 4\n"
      "kv_heads = 4\nvocabulary = 64\nsequence_length = 64\nforward = '{}'\n{}",
      gpus, algorithm, forward, keys);
}

IterationOutcome last_iteration(const std::string& toml) {
  const Outcome outcome = run_engine(world_of(toml));
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  return outcome.iterations.back();
}

TimePs time_of(const IterationOutcome& iteration) { return iteration.last_end_ps - iteration.first_begin_ps; }

/// A pipeline has (m + p - 1) forward and backward passes, the latter twice as long, of which (p - 1) are bubble at
/// every stage. A message between stages takes some 20 us, which 100 ms of computing hide.
TEST(Training, APipelineHasItsBubble) {
  const auto run = [](u32 micro_batches, u32 chunks) {
    return last_iteration(
        star_training(4, "100 ms",
                      fmt::format("layers = 8\npipeline_parallel = 4\nmicro_batches = {}\nvirtual_stages = {}\n",
                                  micro_batches, chunks),
                      "auto"));
  };
  // With 2 layers a stage, a forward and a backward pass take 6 forward passes of a layer. The head adds 1/5 of one.
  const double layer = 100.0 * kMs, head = 3 * layer * 2.0 * 64 * 64 / (2.0 * 64 * (2 * 128 + 3 * 64) + 2.0 * 64 * 64);
  for (const u32 m : {1u, 4u, 8u}) {
    const IterationOutcome i = run(m, 1);
    EXPECT_NEAR(static_cast<double>(time_of(i)), (m + 3) * 6 * layer + m * head, 0.01 * static_cast<double>(time_of(i)))
        << m << " micro-batches";
    // Stage s has ended s backward passes before the first one, and only the last stage computes the head.
    EXPECT_NEAR(static_cast<double>(i.waited_ps[kPipeline]) / 4, (18 - 4 * 1.5) * layer + 0.75 * m * head,
                0.01 * 12 * layer);
  }
  // Two chunks a stage, of one layer each, halve the bubble.
  const IterationOutcome interleaved = run(8, 2);
  EXPECT_NEAR(static_cast<double>(time_of(interleaved)), (8 + 1.5) * 6 * layer + 8 * head,
              0.02 * static_cast<double>(time_of(interleaved)));
}

/// Without prefetching all collectives are exposed; with it only the first gather and the last reduction, where
/// computing takes longer than the collectives.
TEST(Training, PrefetchingHidesWhatComputingCovers) {
  const auto exposed = [](u32 prefetch) {
    const IterationOutcome i =
        last_iteration(star_training(4, "5 ms", fmt::format("layers = 6\nprefetch_layers = {}\n", prefetch)));
    return static_cast<double>(i.waited_ps[kData]) / 4;
  };
  const double none = exposed(0), one = exposed(1);
  EXPECT_GT(none, 5 * one / 2) << "7 gathers and a reduction, or two gathers and a reduction";
  EXPECT_LT(one, 0.5 * kMs);
  EXPECT_EQ(exposed(2), exposed(4));
}

/// Times measured with all ranks, given where these ranks are not simulated, make the same step.
TEST(Training, GivenTimesMakeTheStepThatTheyWereMeasuredIn) {
  const std::string keys = "layers = 6\ntensor_parallel = 2\nmicro_batches = 2\n";
  const World world = world_of(star_training(8, "100 us", keys));
  const Outcome whole = run_engine(world);
  std::map<CollectiveKind, TimePs> times;  // the most of each kind, over the layers' collectives
  u64 layer_bytes = 0;
  for (u32 i = 0; i < whole.collectives.size(); ++i) {
    const Collective& c = world.collectives.collectives[i];
    if (world.collectives.jobs[c.job].group != Group::data) continue;
    layer_bytes = std::max(layer_bytes, c.bytes);
    const CollectiveOutcome& o = whole.collectives[i];
    times[c.kind] = std::max(times[c.kind], o.last_finish_ps - o.last_enter_ps);
  }
  ASSERT_GT(layer_bytes, 0u);
  const std::string given = fmt::format("gather = '{} ps'\nreduce = '{} ps'\n", times[CollectiveKind::all_gather],
                                        times[CollectiveKind::reduce_scatter]);
  const IterationOutcome all = whole.iterations.back(),
                         parts = last_iteration(star_training(2, "100 us", keys + given));
  const auto time = static_cast<double>(time_of(all));
  EXPECT_GT(static_cast<double>(all.waited_ps[kData]) / 8, 0.02 * time) << "else this says nothing";
  EXPECT_NEAR(static_cast<double>(time_of(parts)), time, 0.02 * time);
  EXPECT_NEAR(static_cast<double>(parts.waited_ps[kData]) / 2, static_cast<double>(all.waited_ps[kData]) / 8,
              0.02 * time);
  EXPECT_EQ(parts.max_compute_ps, all.max_compute_ps);
}

TEST(Training, ASlowRankMakesAllWait) {
  const std::string keys = "layers = 4\nprefetch_layers = 1\n";
  const IterationOutcome even = last_iteration(star_training(4, "10 ms", keys));
  const IterationOutcome uneven = last_iteration(star_training(4, "10 ms", keys + "slow_ranks = [2]\nslow_by = 0.5\n"));
  const double compute = static_cast<double>(even.max_compute_ps);
  EXPECT_NEAR(static_cast<double>(uneven.max_compute_ps), 1.5 * compute, 10);
  EXPECT_NEAR(static_cast<double>(time_of(uneven) - time_of(even)), 0.5 * compute, 0.02 * compute);
  EXPECT_NEAR(static_cast<double>(uneven.max_waited_ps[kData] - even.max_waited_ps[kData]), 0.5 * compute,
              0.02 * compute);
}

/// A layer of 2 * 64^2 + 2 * 64^2 + 2 * 64 + 3 * 64^2 parameters, embedding and head of 64^2 each, 2 B gathered and 4 B
/// reduced: ring chunks of a quarter, as one slice and an empty one, over 3 hops from each of 4 GPUs.
TEST(Training, FsdpSendsItsParametersOnceAndItsGradientsOnce) {
  const Outcome outcome =
      run_engine(world_of(star_training(4, "1 ms", "layers = 3\niterations = 2\nmicro_batches = 2\n")));
  const auto packets = [](u64 bytes) { return 3 * 4 * ((bytes / 4 + 4095) / 4096 + 1); };
  const u64 layer = 7 * 64 * 64 + 128, vocabulary = 64 * 64;
  const u64 iteration =
      3 * (packets(2 * layer) + packets(4 * layer)) + 2 * (packets(2 * vocabulary) + packets(4 * vocabulary));
  EXPECT_EQ(outcome.totals.data_packets_received, 2 * iteration);
  EXPECT_EQ(outcome.iterations.size(), 2u);
  EXPECT_EQ(outcome.iterations[1].gpus_ended, 4u);
}

/// Two GPUs on both sides of the only uplink of two racks have all of it; two such pairs have half each.
TEST(Training, JobsThatShareALinkShareItsTime) {
  const auto finish = [](u32 jobs) {
    std::string toml = "[topology]\nkind = 'ai_zone'\nracks = 2\ngpus_per_rack = 2\nctsws = 1\nuplinks_per_rtsw = 1\n";
    for (u32 j = 0; j < jobs; ++j) {
      toml +=
          "[[job]]\ngpus = 2\ngpus_per_server = 1\nplacement = 'fragmented'\n[[job.collective]]\nkind = 'all_to_all'\n"
          "sizes = ['256 MiB']\n";
    }
    const Outcome outcome = run_engine(world_of(toml));
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    return static_cast<double>(outcome.end_ps);
  };
  const double alone = finish(1), together = finish(2);
  EXPECT_NEAR(alone, 128 * 1048576 * 20.0 * 4214 / 4096, 0.03 * alone) << "128 MiB each way at 400G, with headers";
  EXPECT_NEAR(together, 2 * alone, 0.03 * 2 * alone);
}

}  // namespace
}  // namespace heddle::acceptance
