// Training jobs: models, divisions, schedules, and their worlds.
#include "host/scenario/workload/training/training.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/workload/training/division.hpp"
#include "host/scenario/workload/training/schedule.hpp"
#include "host/scenario/workload/training/transformer.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

TrainingOptions llama_405b() {
  TrainingOptions options;
  options.model = "llama3_405b";
  return options;
}

TEST(Transformer, Llama405BHasSoManyParametersAndOperations) {
  const Transformer model = transformer_of(llama_405b(), 0);
  const u64 layer = model.attention_parameters() + model.expert_parameters();
  EXPECT_NEAR(static_cast<double>(layer * model.layers + 2 * model.vocabulary_parameters()), 405.8e9, 0.3e9);
  // FACTS: 0.8 GB of BF16 and 1.6 GB of FP32 per layer and rank of 8.
  EXPECT_NEAR(static_cast<double>(layer) / 8 * 2, 0.8e9, 0.01e9);
  // 2 operations per parameter and token, and attention: 2 s h more with causal masking.
  const double tokens = 8192, flops = model.attention_flops(tokens, 8192) + model.ffn_flops(tokens);
  EXPECT_NEAR(flops, 2.0 * static_cast<double>(layer) * tokens + 2.0 * tokens * 8192 * 16384, 1e-4 * flops);
}

TEST(Transformer, ACustomModelSaysAll) {
  TrainingOptions options;
  options.model = "custom";
  options.layers = 2;
  EXPECT_THROW(transformer_of(options, 0), ConfigError);
  options.hidden = 64;
  options.ffn_hidden = 128;
  options.attention_heads = 3;
  options.kv_heads = options.vocabulary = 1;
  EXPECT_THROW(transformer_of(options, 0), ConfigError) << "64 is no multiple of 3 heads";
  options.attention_heads = 4;
  EXPECT_EQ(transformer_of(options, 0).kv_hidden(), 16u);
  options.kv_heads = 3;
  EXPECT_THROW(transformer_of(options, 0), ConfigError) << "4 heads on 3 pairs of key and value";
  options.kv_heads = 1;
  options.experts_per_token = 2;
  EXPECT_THROW(transformer_of(options, 0), ConfigError) << "2 of 1 experts";
}

TEST(Division, RanksAreNumberedTensorFirst) {
  TrainingOptions o;
  o.tensor_parallel = 8, o.context_parallel = 2, o.pipeline_parallel = 4;
  const Division d = division_of(o, 8 * 2 * 4 * 3, 0);
  EXPECT_EQ(d.datas, 3u);
  std::set<u32> seen;
  for (u32 rank = 0; rank < d.ranks(); ++rank) seen.insert(d.rank_of(d.place_of(rank)));
  EXPECT_EQ(seen.size(), d.ranks());
  EXPECT_EQ(d.place_of(7).tensor, 7u);
  EXPECT_EQ(d.place_of(8).context, 1u);
  EXPECT_EQ(d.place_of(16).stage, 1u);
  EXPECT_EQ(d.place_of(64).data, 1u);
  EXPECT_THROW(division_of(o, 100, 0), ConfigError);
  o.expert_parallel = 2;
  EXPECT_EQ(division_of(o, 8 * 2 * 4 * 3, 0).experts, 2u) << "of 3 replicas and 2 contexts";
  o.expert_parallel = 4;
  EXPECT_THROW(division_of(o, 8 * 2 * 4 * 3, 0), ConfigError) << "4 does not divide 3 replicas x 2 contexts";
}

TEST(Division, MegatronNumbersReplicasBeforeStages) {
  TrainingOptions o;
  o.tensor_parallel = 8, o.context_parallel = 2, o.pipeline_parallel = 4;
  o.rank_order = "tp-cp-dp-pp";
  const Division d = division_of(o, 8 * 2 * 4 * 3, 0);
  for (u32 rank = 0; rank < d.ranks(); ++rank) EXPECT_EQ(d.rank_of(d.place_of(rank)), rank);
  EXPECT_EQ(d.place_of(15).context, 1u);
  EXPECT_EQ(d.place_of(16).data, 1u);
  EXPECT_EQ(d.place_of(16).stage, 0u);
  EXPECT_EQ(d.place_of(48).stage, 1u);
}

TEST(Division, TheFirstAndTheLastChunkHaveFewerLayers) {
  EXPECT_EQ(layers_of_chunks(4, 2), (std::vector<u32>{2, 2}));
  EXPECT_EQ(layers_of_chunks(5, 2), (std::vector<u32>{3, 2}));
  EXPECT_EQ(layers_of_chunks(9, 4), (std::vector<u32>{2, 3, 2, 2}));
  const std::vector<u32> llama = layers_of_chunks(126, 16);
  EXPECT_EQ(std::accumulate(llama.begin(), llama.end(), 0u), 126u);
  EXPECT_EQ(llama.front(), 7u);
  EXPECT_EQ(llama.back(), 7u);
  EXPECT_EQ(llama[1], 8u);
}

/// Returns "F0 F1 B0": passes with one chunk; with several "F0.1", micro-batch and chunk.
std::string text_of(const std::vector<Pass>& passes, bool chunks) {
  std::string text;
  for (const Pass& p : passes) {
    text += (text.empty() ? "" : " ") + std::string(p.forward ? "F" : "B") + std::to_string(p.micro_batch);
    if (chunks) text += "." + std::to_string(p.chunk);
  }
  return text;
}

TEST(Schedule, OneForwardOneBackward) {
  EXPECT_EQ(text_of(one_forward_one_backward(0, 4, 1, 5), false), "F0 F1 F2 F3 B0 F4 B1 B2 B3 B4");
  EXPECT_EQ(text_of(one_forward_one_backward(2, 4, 1, 5), false), "F0 F1 B0 F2 B1 F3 B2 F4 B3 B4");
  EXPECT_EQ(text_of(one_forward_one_backward(3, 4, 1, 3), false), "F0 B0 F1 B1 F2 B2");
  EXPECT_EQ(text_of(one_forward_one_backward(0, 4, 1, 2), false), "F0 F1 B0 B1") << "fewer micro-batches than stages";
  EXPECT_EQ(text_of(one_forward_one_backward(0, 1, 1, 2), false), "F0 B0 F1 B1") << "no pipeline";
}

/// Megatron-LM has 2 (stages - stage - 1) + (chunks - 1) * stages passes before the first backward one.
TEST(Schedule, Interleaved) {
  EXPECT_EQ(text_of(one_forward_one_backward(1, 2, 2, 2), true), "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0");
  EXPECT_EQ(text_of(one_forward_one_backward(0, 2, 2, 4), true),
            "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
}

constexpr const char* kZone = "[topology]\nkind = 'ai_zone'\nracks = 4\ngpus_per_rack = 16\n";

World world_of(const std::string& training, u32 gpus = 64, const std::string& job = "") {
  return build_world(
      std::string(kZone) + "[[job]]\ngpus = " + std::to_string(gpus) + "\n" + job + "[job.training]\n" + training,
      "test.toml");
}

constexpr const char* kSmall =
    "model = 'custom'\nlayers = 8\nhidden = 64\nffn_hidden = 128\nattention_heads = 8\nkv_heads = 2\nvocabulary = 64\n"
    "sequence_length = 128\n";

u32 communicators(const World& world, Group group) {
  u32 count = 0;
  for (const Job& job : world.collectives.jobs) count += job.group == group;
  return count;
}

TEST(Training, EveryGroupHasItsCommunicators) {
  const World world = world_of(std::string(kSmall) +
                               "tensor_parallel = 4\ncontext_parallel = 2\npipeline_parallel = 2\nmicro_batches = 2\n");
  EXPECT_EQ(communicators(world, Group::tensor), 16u);
  EXPECT_EQ(communicators(world, Group::context), 32u);
  EXPECT_EQ(communicators(world, Group::data), 8u) << "4 tensor ranks of 2 stages, 4 replicas x 2 contexts in each";
  EXPECT_EQ(communicators(world, Group::pipeline), 64u) << "32 pairs, forwards and backwards";
  EXPECT_EQ(communicators(world, Group::expert), 0u);
  for (const Job& job : world.collectives.jobs) {
    EXPECT_TRUE(job.by_program);
    EXPECT_TRUE(job.group != Group::data || job.ranks.size() == 8);
    EXPECT_TRUE(job.group != Group::tensor || job.gpus_per_server == 4);
  }
  EXPECT_EQ(world.programs.runs.size(), 64u);
  EXPECT_EQ(world.programs.programs.size(), 2u) << "one a stage";
}

TEST(Training, ExpertsAreDividedAmongDataParallelNeighbours) {
  const World world = world_of(std::string(kSmall) +
                               "experts = 4\nexperts_per_token = 2\ntensor_parallel = 8\n"
                               "expert_parallel = 4\n");
  EXPECT_EQ(communicators(world, Group::expert), 16u) << "8 replicas in two groups of 4, for each tensor rank";
  EXPECT_EQ(communicators(world, Group::data), 8u + 32u) << "of 8 ranks, and of the 2 that hold the same experts";
}

/// Megatron-LM (tp-cp-ep-dp-pp) forms expert groups from the ranks of context and data parallelism together.
TEST(Training, ExpertsAreDividedOverContextAndDataParallelism) {
  const auto group_of_first = [](const World& world, Group group, size_t ranks) {
    for (const Job& job : world.collectives.jobs) {
      if (job.group == group && job.ranks.size() == ranks && job.ranks[0] == 0) return job.ranks;
    }
    return std::vector<EndpointId>{};
  };
  for (const char* order : {"tp-cp-pp-dp", "tp-cp-dp-pp"}) {
    const std::string divided = std::string(kSmall) + "experts = 4\nexperts_per_token = 2\ntensor_parallel = 8\n" +
                                "expert_parallel = 4\nrank_order = '" + order + "'\n";
    const World wide = world_of(divided + "context_parallel = 4\n");
    EXPECT_EQ(communicators(wide, Group::expert), 16u) << "4 contexts x 2 replicas in two groups, for each tensor rank";
    EXPECT_EQ(group_of_first(wide, Group::expert, 4), (std::vector<EndpointId>{0, 8, 16, 24}));
    EXPECT_EQ(group_of_first(wide, Group::data, 2), (std::vector<EndpointId>{0, 32})) << "of the same experts";
    const World narrow = world_of(divided + "context_parallel = 2\n");
    EXPECT_EQ(group_of_first(narrow, Group::expert, 4), (std::vector<EndpointId>{0, 8, 16, 24}))
        << "2 contexts of 2 replicas";
  }
}

/// Number of collectives of a kind and group in an iteration of one communicator.
u64 calls(const World& world, Group group, CollectiveKind kind) {
  for (const Job& job : world.collectives.jobs) {
    if (job.group != group) continue;
    u64 count = 0;
    for (const u32 id : job.collectives) count += world.collectives.collectives[id].kind == kind;
    return count;
  }
  return 0;
}

TEST(Training, CollectivesOfAnIteration) {
  const std::string divided = std::string(kSmall) + "tensor_parallel = 8\nmicro_batches = 3\n";
  using enum CollectiveKind;
  const World fsdp = world_of(divided);
  // Sequence parallelism: 2 of each per layer and direction. FSDP: once per layer, embedding and head.
  EXPECT_EQ(calls(fsdp, Group::tensor, all_gather), 8u * 2 * 2 * 3);
  EXPECT_EQ(calls(fsdp, Group::tensor, reduce_scatter), 8u * 2 * 2 * 3);
  EXPECT_EQ(calls(fsdp, Group::data, all_gather), 10u);
  EXPECT_EQ(calls(fsdp, Group::data, reduce_scatter), 10u);
  const World ddp = world_of(divided + "data_parallel = 'all_reduce'\niterations = 2\n");
  EXPECT_EQ(calls(ddp, Group::data, all_gather), 0u);
  EXPECT_EQ(calls(ddp, Group::data, all_reduce), 2u * 10);
}

/// Each token is copied once for each of its experts.
TEST(Training, TokensOfExpertsComeTogetherInCopies) {
  const std::string divided = std::string(kSmall) + "experts = 4\nexperts_per_token = 2\ntensor_parallel = 4\n";
  const auto sizes_of = [](const World& world, Group group) {
    std::set<u64> sizes;
    for (const Job& job : world.collectives.jobs) {
      if (job.group != group) continue;
      for (const u32 id : job.collectives) sizes.insert(world.collectives.collectives[id].bytes);
    }
    return sizes;
  };
  const u64 activation = 128 * 64 * 2;
  EXPECT_EQ(sizes_of(world_of(divided), Group::tensor), (std::set<u64>{activation})) << "every GPU has a part of each";
  const World world = world_of(divided + "expert_parallel = 4\n");
  EXPECT_EQ(sizes_of(world, Group::tensor), (std::set<u64>{activation, 2 * activation}));
  EXPECT_EQ(sizes_of(world, Group::expert), (std::set<u64>{2 * activation / 4}));
}

TEST(Training, AnAlgorithmIsForThoseThatHaveIt) {
  const World world =
      world_of(std::string(kSmall) + "data_parallel = 'all_reduce'\ntensor_parallel = 4\n", 64, "algorithm = 'tree'\n");
  std::set<std::pair<CollectiveKind, Algorithm>> taken;
  for (const Collective& c : world.collectives.collectives) taken.insert({c.kind, c.algorithm});
  const std::set<std::pair<CollectiveKind, Algorithm>> expected = {{CollectiveKind::all_reduce, Algorithm::tree},
                                                                   {CollectiveKind::all_gather, Algorithm::ring},
                                                                   {CollectiveKind::reduce_scatter, Algorithm::ring}};
  EXPECT_EQ(taken, expected);
  EXPECT_THROW(world_of(kSmall, 64, "algorithm = 'tree'\n"), ConfigError) << "FSDP has no all-reduce";
}

/// The delays of a GPU's program, in order of its streams.
std::vector<TimePs> delays(const World& world, const Program& program) {
  std::vector<TimePs> all;
  for (u32 s = program.first_stream; s < program.first_stream + program.streams; ++s) {
    const OpStream& stream = world.programs.streams[s];
    for (u32 i = stream.first_op; i < stream.first_op + stream.ops; ++i) {
      if (world.programs.ops[i].kind == OpKind::delay) all.push_back(world.programs.ops[i].ps);
    }
  }
  return all;
}

TEST(Training, GivenTimesStandForDataParallelCollectives) {
  const std::string timed = std::string(kSmall) + "tensor_parallel = 4\ngather = '3 us'\nreduce = '7 us'\n";
  const World simulated = world_of(std::string(kSmall) + "tensor_parallel = 4\n"), world = world_of(timed);
  const auto joins_data = [](const Job& job) { return job.group == Group::data; };
  EXPECT_TRUE(std::ranges::any_of(simulated.collectives.jobs, joins_data));
  EXPECT_TRUE(std::ranges::none_of(world.collectives.jobs, joins_data));
  const std::vector<TimePs> all = delays(world, world.programs.programs[0]);
  EXPECT_TRUE(delays(simulated, simulated.programs.programs[0]).empty());
  u32 gathers = 0, reductions = 0;
  std::set<TimePs> others;
  for (const TimePs ps : all) {
    gathers += ps == 3'000'000;
    reductions += ps == 7'000'000;
    if (ps != 3'000'000 && ps != 7'000'000) others.insert(ps);
  }
  EXPECT_GT(gathers, 0u);
  EXPECT_EQ(gathers, reductions) << "a layer's parameters once, its gradients once";
  EXPECT_EQ(others.size(), 2u) << "embedding and head, there and back: their share of a layer's time";
  EXPECT_NEAR(static_cast<double>(*others.rbegin()) / static_cast<double>(*others.begin()), 7.0 / 3, 0.001);
  EXPECT_EQ(all.size(), 2 * (gathers + 2u));
}

TEST(Training, TheVocabularyMayTakeATimeOfItsOwn) {
  const std::string timed = std::string(kSmall) + "tensor_parallel = 4\ngather = '3 us'\nreduce = '7 us'\n";
  const auto of_vocabulary = [&](const std::string& more) {
    const World world = world_of(timed + more);
    std::set<TimePs> found;
    for (const TimePs ps : delays(world, world.programs.programs[0])) {
      if (ps != 3'000'000 && ps != 7'000'000) found.insert(ps);
    }
    return std::vector<TimePs>(found.begin(), found.end());
  };
  const std::vector<TimePs> share = of_vocabulary("");  // gather, reduce
  ASSERT_EQ(share.size(), 2u);
  EXPECT_EQ(of_vocabulary("gather_vocabulary = '1 us'\nreduce_vocabulary = '90 us'\n"),
            (std::vector<TimePs>{1'000'000, 90'000'000}));
  const std::vector<TimePs> gather = of_vocabulary("gather_vocabulary = '99 us'\n");
  EXPECT_EQ(gather, (std::vector<TimePs>{share[1], 99'000'000})) << "the reduction is as it was";
}

/// A GPU waits for the experts of a layer and for all else of it at once.
TEST(Training, GivenTimesStandForThoseOfExpertsToo) {
  const World world =
      world_of(std::string(kSmall) +
               "tensor_parallel = 4\nexperts = 8\nexpert_parallel = 4\ngather = '3 us'\nreduce = '7 us'\n"
               "gather_vocabulary = '1 us'\nreduce_vocabulary = '1 us'\n");
  EXPECT_TRUE(std::ranges::none_of(world.collectives.jobs, [](const Job& job) { return job.group == Group::data; }));
  const std::vector<TimePs> all = delays(world, world.programs.programs[0]);
  EXPECT_EQ(std::ranges::count(all, 3'000'000), std::ranges::count(all, 7'000'000));
  EXPECT_EQ(all.size(), 2 * static_cast<size_t>(std::ranges::count(all, 3'000'000)) + 4) << "and the vocabulary's";
}

/// For the program of a GPU: number of operations of each stream that the first stream waits for.
std::vector<u32> awaited(const World& world, const Program& program) {
  std::vector<u32> most(program.streams, 0);
  const OpStream& computing = world.programs.streams[program.first_stream];
  for (u32 i = 0; i < computing.ops; ++i) {
    const Op& op = world.programs.ops[computing.first_op + i];
    if (op.kind == OpKind::wait) most[op.stream] = std::max(most[op.stream], op.n);
  }
  return most;
}

/// Otherwise an iteration would last longer than the time accounted to its groups.
TEST(Training, WhatIsStillOnItsWayAtTheEndIsWaitedFor) {
  const World world = world_of(std::string(kSmall) + "experts = 8\nexperts_per_token = 2\nexpert_parallel = 4\n");
  const Program& program = world.programs.programs[0];
  const std::vector<u32> most = awaited(world, program);
  ASSERT_EQ(program.streams, 4u) << "computing; data, expert, and data-parallel experts";
  for (u32 s = 1; s < program.streams; ++s)
    EXPECT_EQ(most[s], world.programs.streams[program.first_stream + s].ops) << "stream " << s;
  const World pipeline = world_of(std::string(kSmall) + "pipeline_parallel = 4\nmicro_batches = 2\n");
  for (const Program& stage : pipeline.programs.programs) {
    const std::vector<u32> of_stage = awaited(pipeline, stage);
    for (u32 s = 1; s < stage.streams; ++s)
      EXPECT_EQ(of_stage[s], pipeline.programs.streams[stage.first_stream + s].ops) << "what it sends, too: " << s;
  }
}

void expect_refused(const std::string& training, const std::string& why) {
  const std::string message = test::message_of<ConfigError>([&] { world_of(training); });
  EXPECT_NE(message.find(why), std::string::npos) << training << message;
}

TEST(Training, WhatDoesNotFitIsRefused) {
  const std::string small = kSmall;
  expect_refused(small + "tensor_parallel = 5\n", "no multiple");
  expect_refused(small + "pipeline_parallel = 16\nmicro_batches = 16\n", "layers cannot be divided");
  expect_refused(small + "pipeline_parallel = 4\nvirtual_stages = 2\nmicro_batches = 3\n", "virtual_stages");
  expect_refused(small + "experts = 3\nexpert_parallel = 2\n", "does not divide the 3 experts");
  expect_refused(small + "slow_ranks = [64]\n", "slow_ranks");
  expect_refused(small + "slow_by = 0.5\n", "slow_ranks=given");
  expect_refused(small + "forward = '1 ms'\nefficiency = 0.5\n", "forward=0");
  expect_refused(small + "tensor_parallel = 16\n", "16 does not divide the 8 attention heads");
  expect_refused("model = 'llama3_8b'\ncontext_parallel = 2\nsequence_length = 127\n", "127 tokens of a sequence");
  expect_refused(small + "tensor_parallel = 4\ngather = '1 us'\n", "gather is given, but reduce is not");
  expect_refused(small + "tensor_parallel = 4\nreduce = '1 us'\n", "reduce is given, but gather is not");
  expect_refused(small + "gather = '1 us'\nreduce = '1 us'\n", "nothing would be simulated");
  expect_refused(small + "tensor_parallel = 4\ndata_parallel = 'all_reduce'\ngather = '1 us'\n", "data_parallel=fsdp");
  expect_refused("model = 'none'\ngather = '1 us'\n", "data_parallel=fsdp");
  const std::string given = small + "tensor_parallel = 4\ngather = '1 us'\nreduce = '2 us'\n";
  expect_refused(small + "tensor_parallel = 4\nreduce_vocabulary = '1 us'\n", "reduce=given");
  std::string words = small;
  words.replace(words.find("vocabulary = 64"), 15, "vocabulary = 16000000");
  expect_refused(words + "tensor_parallel = 4\ngather = '1 s'\nreduce = '3 s'\n", "in proportion");
  expect_refused(small + "micro_batch_size = 100000\npeak_tflops = 0.001\nefficiency = 0.0001\n", "single computation");
}

}  // namespace
}  // namespace heddle
