// Collectives composed of others: the ranks of each stage, and the bytes sent.
#include "host/scenario/workload/collective/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "io/results/title.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

using enum CollectiveKind;

std::vector<u32> sorted_ranks(const Stage& stage, u32 ranks) {
  std::vector<u32> all;
  for (const std::vector<u32>& some : communicators_of(stage, ranks)) {
    EXPECT_EQ(some.size(), stage.ranks);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Stages, EveryRankIsInOneCommunicator) {
  std::vector<u32> all(24);
  std::iota(all.begin(), all.end(), 0);
  for (const Stage& stage : {Stage{all_reduce, 1, 4, 1}, Stage{all_reduce, 4, 6, 1}, Stage{all_reduce, 2, 2, 1}})
    EXPECT_EQ(sorted_ranks(stage, 24), all);
  EXPECT_EQ(communicators_of({all_reduce, 4, 2, 1}, 8)[1], (std::vector<u32>{1, 5}));
}

/// Share of the bytes that a rank sends with rings: reduce-scatter and all-gather (n - 1) / n, all-reduce twice that.
double sent_share(const std::vector<Stage>& stages) {
  double sent = 0;
  for (const Stage& s : stages) sent += (s.kind == all_reduce ? 2.0 : 1.0) * (s.ranks - 1) / s.ranks / s.share;
  return sent;
}

TEST(Stages, SendNoMoreThanARing) {
  for (const auto& stages : {hierarchical_stages, halving_doubling_stages}) {
    EXPECT_DOUBLE_EQ(sent_share(stages({all_reduce, 64, 8})), 2 * 63.0 / 64);
    EXPECT_DOUBLE_EQ(sent_share(stages({all_gather, 64, 8})), 63.0 / 64);
    EXPECT_DOUBLE_EQ(sent_share(stages({reduce_scatter, 64, 8})), 63.0 / 64);
  }
}

TEST(Stages, OfOneRankAreLeftOut) {
  EXPECT_EQ(hierarchical_stages({all_reduce, 8, 8}).size(), 2u) << "one server";
  EXPECT_EQ(hierarchical_stages({all_reduce, 8, 1}).size(), 1u) << "a GPU in each";
}

TEST(Stages, HalvingNeedsAPowerOfTwo) {
  EXPECT_THROW(halving_doubling_stages({all_reduce, 24, 8}), ConfigError);
  EXPECT_EQ(halving_doubling_stages({all_reduce, 16, 8}).size(), 8u);
  EXPECT_EQ(halving_doubling_stages({all_gather, 16, 8})[0].stride, 8u) << "the farthest first, with the least";
}

World world_of(const std::string& job) {
  return build_world("[topology]\nkind = 'star'\nhosts = 32\n[[job]]\ngpus = 32\n" + job, "test.toml");
}

TEST(Composed, AJobHasACommunicatorForEveryPartOfAStage) {
  const World world = world_of(
      "algorithm = 'hierarchical'\npieces = 3\n[[job.collective]]\nsizes = ['1 MiB']\nrepeat = 2\n"
      "[[job.collective]]\nkind = 'gather'\nsizes = ['1 MiB']\n");
  const CollectivePlan& plan = world.collectives;
  ASSERT_EQ(plan.jobs.size(), 1u + 4 + 8 + 4);
  EXPECT_TRUE(plan.jobs[0].composed);
  EXPECT_FALSE(plan.jobs[0].by_program);
  EXPECT_TRUE(plan.collectives[plan.jobs[0].collectives[1]].composed);
  EXPECT_FALSE(plan.collectives[plan.jobs[0].collectives[2]].composed) << "a gather has no stages";
  EXPECT_EQ(plan.jobs[5].ranks, (std::vector<EndpointId>{0, 8, 16, 24})) << "a rail";
  EXPECT_EQ(plan.jobs[5].collectives.size(), 2u * 3);
  EXPECT_EQ(plan.collectives[plan.jobs[5].collectives[0]].bytes, ((u64{1} << 20) + 23) / 24);
  ASSERT_EQ(world.programs.tasks.size(), 1u);
  EXPECT_FALSE(world.programs.tasks[0].trains);
  EXPECT_NE(title_of(world).find("1 job of 2 all-reduces and 1 gather"), std::string::npos) << title_of(world);
}

TEST(Composed, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& job, const std::string& why) {
    const std::string message = test::message_of<ConfigError>([&] { world_of(job); });
    EXPECT_NE(message.find(why), std::string::npos) << job << message;
  };
  refused("algorithm = 'hierarchical'\n[[job.collective]]\nkind = 'broadcast'\nsizes = ['1 MiB']\n",
          "has none of that name");
  refused("algorithm = 'halving_doubling'\n[[job.collective]]\nkind = 'all_to_all'\nsizes = ['1 MiB']\n",
          "has no algorithms");
  refused("algorithm = 'hierarchical'\n[job.training]\nmodel = 'llama3_8b'\n",
          "only collectives of [[job.collective]]");
  refused("algorithm = 'hierarchical'\npieces = 1024\n[[job.collective]]\nsizes = ['1 MiB']\nrepeat = 100000\n",
          "fewer pieces");
  refused("[[job.collective]]\nkind = 'barrier'\nsizes = ['1 MiB']\n", "a barrier carries nothing");
  refused("[[job.collective]]\nsizes = ['1 MiB']\nrepeat = 100000\ninterval = '100 s'\n", "beyond the longest run");
}

}  // namespace
}  // namespace heddle
