// How far payload travels, against values by hand.
#include "host/check/estimates/crossings.hpp"

#include <gtest/gtest.h>

#include "host/check/report.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

World world_of(const std::string& text) { return build_world(text, "test.toml"); }

/// 2 zones of 2 racks of 4 GPUs.
constexpr const char* kZones =
    "[topology]\nkind = \"multi_zone\"\nzones = 2\nracks = 2\ngpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 2\n"
    "atsws = 2\nuplinks_per_ctsw = 2\n";

using Bytes = std::array<double, kDistances>;
constexpr double kMiB = 1 << 20;

TEST(Crossings, OfARingByHand) {
  const World world = world_of(std::string(kZones) +
                               "[[job]]\ngpus_per_server = 2\nalgorithm = \"ring\"\nprotocol = \"simple\"\n"
                               "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"16 MiB\"]\nrepeat = 3\n");
  const std::vector<Crossings> all = crossings_of(world);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].job, 0u);
  EXPECT_EQ(all[0].group, Group::all);
  // Two channels of 8 servers; 2 x 15/16 of half the data over each hop, three times. Of the 8 hops between servers 4
  // stay in a rack, and 2 lead to the zone's other rack.
  const double hop = 3 * 15 * kMiB;
  EXPECT_EQ(all[0].bytes, (Bytes{2 * 8 * hop, 2 * 4 * hop, 2 * 2 * hop, 2 * 2 * hop}));
}

std::string all_to_all(u32 gpus_per_server, const char* more = "") {
  return std::string(kZones) + more + "[[job]]\ngpus_per_server = " + std::to_string(gpus_per_server) +
         "\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"16 MiB\"]\n";
}

TEST(Crossings, OfAnAllToAllByHand) {
  const World world = world_of(all_to_all(2));
  ASSERT_TRUE(world.collectives.jobs[0].all_pairs);
  EXPECT_EQ(crossings_of(world)[0].bytes, (Bytes{16 * 1 * kMiB, 16 * 2 * kMiB, 16 * 4 * kMiB, 16 * 8 * kMiB}));
  const World large = world_of(all_to_all(8));  // a server of two racks
  EXPECT_EQ(crossings_of(large)[0].bytes, (Bytes{16 * 7 * kMiB, 0, 0, 16 * 8 * kMiB}));
}

TEST(Crossings, ClosedFormAndTablesAgree) {
  // A message at GPUs 0 and 5 makes the job need tables.
  constexpr const char* kMessage = "[[message]]\nsrc = 0\ndst = 5\nbytes = \"1 KiB\"\n";
  for (const u32 server : {1, 2, 4, 8, 16}) {
    const World closed = world_of(all_to_all(server)), tables = world_of(all_to_all(server, kMessage));
    ASSERT_TRUE(closed.collectives.jobs[0].all_pairs);
    ASSERT_FALSE(tables.collectives.jobs[0].all_pairs);
    EXPECT_EQ(crossings_of(closed)[0].bytes, crossings_of(tables)[0].bytes) << server;
  }
}

World training(u32 iterations) {
  return world_of(std::string(kZones) +
                  "[[job]]\ngpus_per_server = 2\nprotocol = \"simple\"\n[job.training]\nmodel = \"custom\"\nlayers = "
                  "4\nhidden = 64\nffn_hidden = 128\nattention_heads = 4\nkv_heads = 4\nvocabulary = 64\nexperts = 1\n"
                  "experts_per_token = 1\nsequence_length = 64\ntensor_parallel = 2\npipeline_parallel = 2\n"
                  "micro_batches = 3\niterations = " +
                  std::to_string(iterations) + "\n");
}

const Crossings* find(const std::vector<Crossings>& all, Group group) {
  for (const Crossings& row : all) {
    if (row.group == group) return &row;
  }
  return nullptr;
}

TEST(Crossings, OfATrainingJobsGroups) {
  const World world = training(1);
  const std::vector<Crossings> all = crossings_of(world);
  ASSERT_EQ(all.size(), 3u) << "tensor, pipeline, data";
  const Crossings &tensor = *find(all, Group::tensor), &pipeline = *find(all, Group::pipeline),
                  &data = *find(all, Group::data);
  EXPECT_GT(tensor.bytes[0], 0);
  EXPECT_EQ(tensor.bytes, (Bytes{tensor.bytes[0], 0, 0, 0})) << "a server is a tensor-parallel group";
  // A rack holds a replica. Each of its 2 GPUs sends half a micro-batch's activations forwards, and receives as much
  // back.
  EXPECT_EQ(pipeline.bytes, (Bytes{0, 4 * 2 * 3 * 2 * (64 * 64 * 2 / 2), 0, 0}));
  // Data-parallel rings go through the four racks, of two zones, in order. Gathering and scattering n bytes among 4
  // ranks takes n/4 x 3 on each hop.
  double bytes = 0;
  for (const Job& job : world.collectives.jobs) {
    if (job.group != Group::data) continue;
    for (const u32 c : job.collectives) bytes += static_cast<double>(world.collectives.collectives[c].bytes);
  }
  EXPECT_EQ(data.bytes, (Bytes{0, 0, bytes * 3 / 4 * 2, bytes * 3 / 4 * 2}));
}

TEST(Crossings, AreOfOneIteration) {
  const std::vector<Crossings> one = crossings_of(training(1)), five = crossings_of(training(5));
  ASSERT_EQ(one.size(), five.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].bytes, five[i].bytes);
    EXPECT_EQ(five[i].iterations, 5u);
  }
}

TEST(Crossings, AreInTheReport) {
  const std::string text = check_world(training(2)).text;
  EXPECT_NE(text.find("payload of collectives, by the way of it (of training jobs: of one iteration)"),
            std::string::npos);
  EXPECT_NE(text.find("0    pipeline                 -  196.6 KB (100 %)"), std::string::npos) << text;
  EXPECT_EQ(crossings_text(world_of(std::string(kZones) + "[[message]]\nsrc = 0\ndst = 5\nbytes = \"1 KiB\"\n")), "");
}

}  // namespace
}  // namespace heddle
