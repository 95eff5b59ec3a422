// job.placement = "min_cut": the traffic between a job's servers, and the placement for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "host/check/estimates/crossings.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/workload/server_graph.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

World world_of(const std::string& text) { return build_world(text, "test.toml"); }

/// 4 zones of 4 racks of 2 servers.
constexpr const char* kZones =
    "[topology]\nkind = \"multi_zone\"\nzones = 4\nracks = 4\ngpus_per_rack = 16\nctsws = 2\nuplinks_per_rtsw = 4\n"
    "atsws = 2\nuplinks_per_ctsw = 2\n";

/// A training job whose replica is `pipeline` servers.
std::string training(const char* placement, u32 pipeline, const char* more = "") {
  return fmt::format(
      "{}[[job]]\nplacement = \"{}\"\n{}[job.training]\nmodel = \"custom\"\nlayers = 8\nhidden = 512\nffn_hidden = "
      "1024\nattention_heads = 8\nkv_heads = 8\nvocabulary = 1024\nexperts = 1\nexperts_per_token = 1\n"
      "sequence_length = 128\ntensor_parallel = 8\npipeline_parallel = {}\nmicro_batches = 2\n",
      kZones, placement, more, pipeline);
}

/// Sum over all groups.
double bytes(const World& world, Distance distance) {
  double sum = 0;
  for (const Crossings& row : crossings_of(world)) sum += row.bytes[static_cast<u32>(distance)];
  return sum;
}

TEST(MinCutPlacement, SendsLessAcrossZones) {
  for (const u32 pipeline : {1, 2, 4, 8}) {
    const double chosen = bytes(world_of(training("min_cut", pipeline)), Distance::zones),
                 drawn = bytes(world_of(training("random", pipeline)), Distance::zones),
                 in_order = bytes(world_of(training("contiguous", pipeline)), Distance::zones);
    EXPECT_LE(3 * chosen, drawn) << pipeline;
    EXPECT_LE(chosen, in_order) << pipeline;
  }
}

TEST(MinCutPlacement, PutsDataParallelGroupsIntoAZone) {
  // Each of 4 stages has a zone for its 8 replicas: only activations leave it, where gradients did.
  const World world = world_of(training("min_cut", 4)), in_order = world_of(training("contiguous", 4));
  for (const Crossings& row : crossings_of(world)) {
    if (row.group != Group::data) continue;
    EXPECT_EQ(row.bytes[static_cast<u32>(Distance::zones)], 0);
  }
  EXPECT_LT(4 * bytes(world, Distance::zones), bytes(in_order, Distance::zones));
  EXPECT_LT(bytes(world, Distance::zone), bytes(in_order, Distance::zone)) << "neighbours share a rack";
}

TEST(MinCutPlacement, KeepsServersWholeAndInOrder) {
  const std::vector<EndpointId> gpus = gpus_by_job(world_of(training("min_cut", 4)))[0];
  ASSERT_EQ(gpus.size(), 256u);
  EXPECT_EQ(std::set<EndpointId>(gpus.begin(), gpus.end()).size(), gpus.size());
  for (u32 rank = 0; rank < gpus.size(); ++rank) EXPECT_EQ(gpus[rank], gpus[rank / 8 * 8] + rank % 8);
  EXPECT_EQ(gpus, gpus_by_job(world_of(training("min_cut", 4)))[0]) << "equal input, equal result";
}

std::string plain(const char* placement, const char* kind, const char* more = "") {
  return fmt::format("{}[[job]]\nplacement = \"{}\"\n{}[[job.collective]]\nkind = \"{}\"\nsizes = [\"16 MiB\"]\n",
                     kZones, placement, more, kind);
}

TEST(MinCutPlacement, OfRingsAndTreesIsNoWorseThanInOrder) {
  for (const char* more :
       {"algorithm = \"ring\"\n", "algorithm = \"tree\"\n", "algorithm = \"ring\"\nfirst_gpu = 24\ngpus = 184\n",
        "algorithm = \"ring\"\ngpus = 80\n", "algorithm = \"ring\"\ngpus_per_server = 1\n"}) {
    const World world = world_of(plain("min_cut", "all_reduce", more)),
                in_order = world_of(plain("contiguous", "all_reduce", more));
    EXPECT_LE(bytes(world, Distance::zones), bytes(in_order, Distance::zones)) << more;
    EXPECT_LE(bytes(world, Distance::zones) + bytes(world, Distance::zone),
              bytes(in_order, Distance::zones) + bytes(in_order, Distance::zone))
        << more;
  }
}

TEST(MinCutPlacement, OfAnAllToAllFillsZones) {
  const char* behind = "gpus = 64\nfirst_gpu = 56\n";  // in order: one server of the first zone, seven of the second
  const World world = world_of(plain("min_cut", "all_to_all", behind));
  ASSERT_TRUE(world.collectives.jobs[0].all_pairs);
  EXPECT_EQ(bytes(world, Distance::zones), 0);
  EXPECT_GT(bytes(world_of(plain("contiguous", "all_to_all", behind)), Distance::zones), 0);
}

TEST(MinCutPlacement, LeavesOtherJobsAlone) {
  const World world =
      world_of(plain("random", "all_reduce", "gpus = 96\n") +
               "[[job]]\nplacement = \"min_cut\"\ngpus = 160\n[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 "
               "MiB\"]\n");
  std::set<EndpointId> all;
  for (const auto& gpus : gpus_by_job(world)) all.insert(gpus.begin(), gpus.end());
  EXPECT_EQ(all.size(), 256u);
}

TEST(MinCutPlacement, WithoutZonesKeepsToRacksOrOrder) {
  const std::string job =
      "[[job]]\nplacement = \"{}\"\ngpus_per_server = 2\n[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 "
      "MiB\"]\n";
  const std::string zone =
      "[topology]\nkind = \"ai_zone\"\nracks = 4\ngpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 4\n" + job;
  const std::string star = "[topology]\nkind = \"star\"\nhosts = 16\n" + job;
  for (const std::string& text : {zone, star}) {
    const auto placed = [&](const char* how) { return world_of(fmt::format(fmt::runtime(text), how)); };
    EXPECT_LE(bytes(placed("min_cut"), Distance::zone), bytes(placed("contiguous"), Distance::zone));
  }
  EXPECT_EQ(gpus_by_job(world_of(fmt::format(fmt::runtime(star), "min_cut"))),
            gpus_by_job(world_of(fmt::format(fmt::runtime(star), "contiguous"))));
}

TEST(MinCutPlacement, SaysWhenThereAreTooFew) {
  const std::string error = testing_worlds::config_error_of([] {
    world_of(plain("contiguous", "all_reduce", "gpus = 128\n") +
             "[[job]]\nplacement = \"min_cut\"\ngpus = 136\n[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 "
             "MiB\"]\n");
  });
  EXPECT_NE(error.find("job[1].gpus: 136 GPUs asked for, but min_cut placement finds 128"), std::string::npos) << error;
}

/// The predicted bytes of the graph equal the World's: between the zones of servers in order.
void expect_foreseen(const std::string& text) {
  const Config config = load_config_text(text, "test.toml");
  const World world = build_world(config);
  const ServerGraph graph = server_graph(config.jobs[0], 0, world.fabric.endpoints, world);
  std::vector<u32> zone_of, rack_of;
  for (EndpointId e = 0; e < world.fabric.endpoints; e += 8) {
    zone_of.push_back(world.fabric.nodes[e].zone);
    rack_of.push_back(world.routing.group_of[e]);
  }
  double between_zones = 0, between_racks = 0;
  for (const Crossings& row : crossings_of(world)) {
    between_zones += row.bytes[3] * row.iterations;
    between_racks += (row.bytes[2] + row.bytes[3]) * row.iterations;
  }
  EXPECT_GT(between_zones, 0);
  EXPECT_EQ(static_cast<double>(weight_between(graph, zone_of)), between_zones);
  EXPECT_EQ(static_cast<double>(weight_between(graph, rack_of)), between_racks);
}

TEST(ServerGraph, IsWhatTheWorldWillSend) {
  expect_foreseen(training("contiguous", 4, "protocol = \"ll128\"\n") + "iterations = 3\n");
  expect_foreseen(training("contiguous", 2) + "expert_parallel = 1\ncontext_parallel = 2\n");
  const std::string more = "[[job.collective]]\nkind = \"{}\"\nsizes = [\"5 MB\", \"77 B\"]\nrepeat = 2\n";
  std::string all = plain("contiguous", "all_reduce", "root = 13\n");
  for (const char* kind : {"all_to_all", "broadcast", "reduce", "gather", "scatter", "all_gather", "reduce_scatter"})
    all += fmt::format(fmt::runtime(more), kind);
  expect_foreseen(all);
  expect_foreseen(plain("contiguous", "all_to_all"));
}

TEST(ServerGraph, ByHand) {
  const World world = world_of(plain("contiguous", "all_reduce"));
  JobOptions job;
  job.algorithm = "ring";
  job.protocol = "simple";
  job.collectives = {{.kind = "all_reduce", .sizes_bytes = {32 << 20}}};
  const ServerGraph ring = server_graph(job, 0, 32, world);
  EXPECT_EQ(ring.servers(), 4u);
  EXPECT_EQ(ring.edges.neighbour, (std::vector<u32>{1, 3, 0, 2, 1, 3, 0, 2}));
  for (const u64 weight : ring.edges.edge_weight) EXPECT_EQ(weight, 2 * 31 * (u64{1} << 20)) << "2 x 31/32 of the data";
  EXPECT_EQ(ring.each_pair, 0u);
  job.algorithm = "auto";
  job.collectives[0].kind = "all_to_all";
  const ServerGraph pairs = server_graph(job, 0, 32, world);
  EXPECT_TRUE(pairs.edges.neighbour.empty());
  EXPECT_EQ(pairs.each_pair, 2 * 8 * 8 * (u64{1} << 20));
}

}  // namespace
}  // namespace heddle
