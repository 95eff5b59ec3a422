// Dispatch and combine: which tokens go where, by which way, and what is refused.
#include "host/scenario/workload/collective/experts.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "io/results/title.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

using enum CollectiveKind;

u64 sum(const std::vector<u64>& all) { return std::accumulate(all.begin(), all.end(), u64{0}); }

CollectiveStepOptions step_of(u32 tokens, u32 experts = 256, u32 top_k = 8, u32 top_groups = 4) {
  CollectiveStepOptions step;
  step.tokens = tokens;
  step.experts = experts;
  step.top_k = top_k;
  step.top_groups = top_groups;
  return step;
}

TokenTraffic routed(const CollectiveStepOptions& step, u32 ranks, u32 gpus_per_server) {
  return route_tokens(step, dispatch, ranks, gpus_per_server, "job[0].collective[0]");
}

/// Two servers of two GPUs. GPU 0 has 10 tokens: 7 with experts on server 0, of which 4 on GPU 0 and 5 on GPU 1; 6 on
/// server 1, all of them on GPU 3, 2 of them on GPU 2 as well. The others have none.
TokenTraffic by_hand() {
  return {.gpus_per_server = 2,
          .servers = 2,
          .token_bytes = 100,
          .chunk_tokens = 2,
          .tokens = 10,
          .to_server = {7, 6, 0, 0, 0, 0, 0, 0},
          .passed_on = {4, 5, 0, 0, 2, 6, 0, 0}};
}

TEST(Experts, TokensGoAlongTheRailOnceToAServerAndOnByNvlink) {
  EXPECT_EQ(bytes_between(by_hand(), dispatch, {0, 2}, 1).bytes[1], 600u) << "by the network, not 800";
  EXPECT_EQ(bytes_between(by_hand(), dispatch, {0, 1}, 1).bytes[1], 500u) << "the own server's stay in it";
  EXPECT_EQ(bytes_between(by_hand(), dispatch, {2, 3}, 1).bytes[1], 600u) << "from the rail to the experts";
  EXPECT_EQ(bytes_between(by_hand(), dispatch, {1, 3}, 1).bytes, (std::vector<u64>(4, 0))) << "another rail";
}

/// As MODEL.md, 9.11, counts an all-to-all-v.
TEST(Experts, WhatAGpuKeepsIsInNoStage) {
  for (const CollectiveKind kind : {dispatch, combine}) {
    for (const std::vector<u32>& ranks : {std::vector<u32>{0, 1}, {2, 3}, {0, 2}}) {
      const PlainByteMatrix matrix = bytes_between(by_hand(), kind, ranks, 1);
      EXPECT_EQ(matrix.bytes[0], 0u);
      EXPECT_EQ(matrix.bytes[3], 0u);
    }
  }
}

TEST(Experts, CombineIsTheWayBack) {
  EXPECT_EQ(bytes_between(by_hand(), combine, {2, 3}, 1).bytes[2], 600u);
  EXPECT_EQ(bytes_between(by_hand(), combine, {0, 2}, 1).bytes[2], 600u) << "summed at the rail: one a server";
  EXPECT_EQ(bytes_between(by_hand(), combine, {0, 2}, 1).bytes[1], 0u);
}

TEST(Experts, PartsAreRoundedUp) {
  EXPECT_EQ(bytes_between(by_hand(), dispatch, {0, 2}, 7).bytes[1], 86u);
  EXPECT_EQ(by_hand().pieces(1), 5u);
  EXPECT_EQ(by_hand().pieces(4), 2u) << "3 tokens in chunks of 2";
  EXPECT_EQ(by_hand().pieces(100), 1u);
}

TEST(Experts, BandwidthCountsTheOwnServer) {
  EXPECT_EQ(counted_bytes(by_hand()), 13u * 100 / 4);
  TokenTraffic one{
      .gpus_per_server = 2, .servers = 1, .token_bytes = 100, .to_server = {9, 9}, .passed_on = {4, 5, 6, 7}};
  EXPECT_EQ(counted_bytes(one), 22u * 100 / 2) << "what GPUs receive, their own tokens too";
}

TEST(Experts, AllExpertsAreReachedWhereAllAreTaken) {
  const TokenTraffic traffic = routed(step_of(5, 8, 8, 9), 8, 2);
  EXPECT_EQ(traffic.to_server, std::vector<u64>(8 * 4, 5));
  EXPECT_EQ(traffic.passed_on, std::vector<u64>(8 * 2, 5 * 4));
}

/// Every token takes 8 of 256 experts on 4 servers: on any server with probability 1 - C(192, 8) / C(256, 8).
TEST(Experts, EveryServerIsAsPopular) {
  const TokenTraffic traffic = routed(step_of(2000), 32, 8);
  const double on_server = 1 - 0.0964, tokens = 2000 * 32;
  EXPECT_NEAR(static_cast<double>(sum(traffic.to_server)) / (4 * tokens), on_server, 0.002);
  for (const u64 one : traffic.to_server) EXPECT_NEAR(static_cast<double>(one), 2000 * on_server, 5 * 13.1);
}

TEST(Experts, TokensArriveWhereTheyWereSent) {
  const TokenTraffic traffic = routed(step_of(300, 64, 6, 2), 16, 4);
  EXPECT_LE(sum(traffic.to_server), 2u * 300 * 16);
  EXPECT_GT(sum(traffic.to_server), 300u * 16);
  for (u32 server = 0; server < 4; ++server) {
    for (u32 rail = 0; rail < 4; ++rail) {
      u64 arrived = 0, passed_on = 0;
      for (u32 rank = rail; rank < 16; rank += 4) arrived += traffic.to_server[rank * 4 + server];
      for (u32 gpu = 0; gpu < 4; ++gpu) {
        const u64 some = traffic.passed_on[(server * 4 + rail) * 4 + gpu];
        EXPECT_LE(some, arrived);
        passed_on += some;
      }
      EXPECT_GE(passed_on, arrived) << "each to one GPU at least";
      EXPECT_LE(passed_on, 4 * arrived);
    }
  }
}

TEST(Experts, ScoresFollowFromTheSeed) {
  const auto counts = [](u64 seed) {
    CollectiveStepOptions step = step_of(50);
    step.routing_seed = seed;
    return routed(step, 16, 8).passed_on;
  };
  EXPECT_EQ(counts(1), counts(1));
  EXPECT_NE(counts(1), counts(2));
}

World world_of_tokens(const std::string& job, u32 hosts = 32) {
  return build_world("[topology]\nkind = 'star'\nhosts = " + std::to_string(hosts) + "\n[[job]]\n" + job, "test.toml");
}

struct Carried {
  u64 network = 0, nvlink = 0, off_rail = 0;
};

Carried carried_by(const World& world) {
  Carried carried;
  const CollectivePlan& plan = world.collectives;
  for (const Job& job : plan.jobs) {
    for (u32 g = 0; g < job.groups.size(); ++g) {
      for_each_connection(job.groups[g], [&](u32 id) {
        const Connection& connection = plan.connections[id];
        for_each_schedule(plan, job, g, id, [&](const Collective&, const SliceSchedule& schedule) {
          (connection.nvlink ? carried.nvlink : carried.network) += bytes_of(schedule);
          if (!connection.nvlink && connection.src % 8 != connection.dst % 8) carried.off_rail += bytes_of(schedule);
        });
      });
    }
  }
  return carried;
}

/// A token has 3 of 6 pieces' worth of bytes, so that nothing is rounded.
TEST(DispatchJob, CarriesWhatTheTokensAre) {
  const std::string job =
      "sms = 4\n[[job.collective]]\nkind = 'dispatch'\ntokens = 96\ntoken_size = '96 B'\nexperts = 32\ntop_k = 3\n";
  const World world = world_of_tokens(job);
  CollectiveStepOptions step = step_of(96, 32, 3);
  step.token_bytes = 96;
  const TokenTraffic traffic = routed(step, 32, 8);
  u64 network = 0, nvlink = 0;
  for (u32 rank = 0; rank < 32; ++rank) {
    for (u32 server = 0; server < 4; ++server) network += server == rank / 8 ? 0 : traffic.to_server[rank * 4 + server];
    for (u32 gpu = 0; gpu < 8; ++gpu) nvlink += gpu == rank % 8 ? 0 : traffic.passed_on[rank * 8 + gpu];
  }
  const Carried carried = carried_by(world);
  EXPECT_EQ(carried.network, network * 96);
  EXPECT_EQ(carried.nvlink, nvlink * 96);
  EXPECT_EQ(carried.off_rail, 0u);
  EXPECT_EQ(world.collectives.collectives[0].bytes, counted_bytes(traffic));
  EXPECT_NE(title_of(world).find("1 job of 1 dispatch"), std::string::npos) << title_of(world);
}

/// Two lanes: 8 rails and 4 servers each, 3 chunks of 16 tokens; of all parts only the first ones are launched.
TEST(DispatchJob, IsOneKernelWithALaneForEachChannel) {
  const World world = world_of_tokens(
      "sms = 4\n[[job.collective]]\nkind = 'dispatch'\ntokens = 96\nexperts = 32\nrepeat = 2\n"
      "[[job.collective]]\nkind = 'combine'\ntokens = 96\nexperts = 32\n");
  const CollectivePlan& plan = world.collectives;
  ASSERT_EQ(plan.jobs.size(), 1u + 2 * 2 * (8 + 4));
  EXPECT_EQ(plan.jobs[1].ranks, (std::vector<EndpointId>{0, 8, 16, 24})) << "a rail";
  ASSERT_EQ(plan.jobs[1].collectives.size(), 2u * 3);
  const auto part = [&](u32 job, u32 i) { return plan.collectives[plan.jobs[job].collectives[i]]; };
  for (u32 i = 0; i < 6; ++i) EXPECT_EQ(part(1, i).launch_latency_ps, i % 3 == 0 ? plan.settings.launch_latency_ps : 0);
  EXPECT_EQ(plan.jobs[17].ranks, (std::vector<EndpointId>{0, 1, 2, 3, 4, 5, 6, 7})) << "a server, second";
  EXPECT_EQ(part(17, 0).launch_latency_ps, 0);
  EXPECT_EQ(part(25, 0).launch_latency_ps, plan.settings.launch_latency_ps) << "combine begins in servers";
  EXPECT_EQ(plan.jobs[25].ranks.size(), 8u);
}

TEST(DispatchJob, OfOneServerUsesNoNetwork) {
  const World world = world_of_tokens("[[job.collective]]\nkind = 'combine'\n", 8);
  EXPECT_EQ(carried_by(world).network, 0u);
  EXPECT_GT(carried_by(world).nvlink, 0u);
  EXPECT_TRUE(world.traffic.qps.empty());
}

TEST(DispatchJob, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& keys, const std::string& why) {
    const std::string job = keys.starts_with("sms") || keys.starts_with("alg") ? keys : "";
    const std::string step = job.empty() ? keys : "";
    const std::string message =
        test::message_of<ConfigError>([&] { world_of_tokens(job + "[[job.collective]]\nkind = 'dispatch'\n" + step); });
    EXPECT_NE(message.find(why), std::string::npos) << keys << message;
  };
  refused("sizes = ['1 MiB']\n", "job[0].collective[0].sizes: tokens, token_size");
  refused("experts = 48\n", "experts: 48 of them on 32 GPUs");
  refused("top_k = 65\ntop_groups = 1\n", "top_k: 65, and 1 of the 4 servers have 64 experts");
  refused("tokens = 1000000\nexperts = 4096\n", "tokens: 1000000 on 32 GPUs");
  refused("sms = 5\n", "job[0].sms = 5: a channel");
  refused("algorithm = 'ring'\n", "leave it at auto");
}

}  // namespace
}  // namespace heddle
