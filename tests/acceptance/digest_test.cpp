// Must show 5: the same digest, departures included, from the engine and the oracle, on 1 and 2 threads, with the
// Shuffled team (3 seeds), at half and a quarter of the tick with the same slot and epoch, with series on or off, with
// nodes numbered in another order inside, with tick groups in batches of 1 to 3 ticks, and in 2, 3, 4 and 8 ranks: on
// every acceptance configuration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/backends/tick_groups.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "partition/cut/cut.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/ranks.hpp"

namespace heddle::acceptance {
namespace {

/// A configuration and its overrides: where all these runs would take a minute, less of the same traffic.
struct Configuration {
  std::string toml;
  std::vector<std::string> sets = {};
};

/// 4 MiB a sender instead of 32, thresholds an eighth too, so that pauses still reach the NICs.
const std::vector<std::string> kShortIncast = {"generator.0.bytes=1 MiB", "buffer.rtsw.alpha=0.015625",
                                               "buffer.ctsw.bytes=500 KB"};

std::map<std::string, Configuration> configurations() {
  return {
      {"flow_star", {one_flow(kSmallStar, 1, 4, 1'000'003)}},
      {"flow_cross_rack", {one_flow(kSmallZone, 1, 14, 1'000'003)}},
      {"flow_cross_zone", {one_flow(kSmallPods, 3, 6, 1'000'003)}},
      {"simultaneous", {simultaneous(3, 123'456)}},
      {"htsim_one_flow", {htsim_leaf_spine() + htsim_model() + htsim_message(250 * 4096)}},
      {"ring_one_gpu_per_server", {zone(2, 16) + all_reduce(32, 1, "1 MiB")}},
      {"ring_eight_gpus_per_server", {zone(2, 16) + all_reduce(32, 8, "4 MiB")}},
      {"racks_of_their_own", {zone(3, 32) + all_reduce(96, 8, "512 KiB")}},
      {"ring_small", {"[topology]\nkind = 'star'\nhosts = 8\n" + all_reduce(8, 1, "4 KiB")}},
      {"tree_with_few_slots",  // the slots of one peer are taken, those of another are free
       {zone(2, 16) + all_reduce(32, 2, "1 MiB"),
        {"job.0.algorithm=tree", "job.0.protocol=simple", "job.0.slots=1", "job.0.slice=32 KiB", "job.0.channels=1",
         "job.0.collective.0.sizes=[\"512 KiB\"]", "failure.0.link=[\"rtsw0\", \"gpu2\"]", "failure.0.kind=rate",
         "failure.0.rate=4 Gb/s"}}},
      {"gather_in_a_server",  // NVLink transfers whose heads arrive at one instant
       {"[topology]\nkind = 'star'\nhosts = 4\n" + all_reduce(4, 4, "1 MiB"),
        {"job.0.collective.0.kind=gather", "job.0.algorithm=auto"}}},
      {"all_to_all",
       {zone(2, 16) + all_reduce(32, 8, "320 KiB"),
        {"job.0.collective.0.kind=all_to_all", "job.0.algorithm=auto", "job.0.p2p_window=3", "dcqcn.enabled=true"}}},
      {"training", {training_of_a_mixture()}},
      {"greedy_incast", {greedy_incast(1), kShortIncast}},
      {"admitted_gather", {admitted_gather(1), {"job.0.collective.0.sizes=[\"68 MiB\"]"}}},
      {"dcqcn_paper", {dcqcn_at_40g("paper", "3 ms")}},
      {"dcqcn_connectx", {dcqcn_at_40g("connectx", "3 ms")}},
      {"dcqcn_hpcc", {dcqcn_at_40g("hpcc", "3 ms")}},
      {"headroom_static", {headroom_incast(1, "static", 0)}},
      {"headroom_dynamic", {headroom_incast(2, "shared", 0)}},
      {"overruns_static", {headroom_incast(1, "static", 40'000)}},
      {"overruns_dynamic", {headroom_incast(2, "shared", 40'000)}},
  };
}

World world_named(const std::string& name) {
  const Configuration c = configurations().at(name);
  return world_of(c.toml, c.sets);
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, configuration] : configurations()) names.push_back(name);
  return names;
}

class Digest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    world_ = world_named(GetParam());
    options_.trace = true;
    expected_ = run_engine(world_, options_);
  }
  void expect_same(const World& world, const EngineOptions& options, const std::string& what) {
    expect_equal(run_engine(world, options), what);
  }
  void expect_equal(const Outcome& outcome, const std::string& what) {
    EXPECT_EQ(outcome.digest, expected_.digest) << what;
    EXPECT_EQ(outcome.end_ps, expected_.end_ps) << what;
    EXPECT_EQ(outcome.totals.packet_hops, expected_.totals.packet_hops) << what;
    EXPECT_EQ(outcome.reason, expected_.reason) << what << " " << outcome.explanation;
  }

  World world_;
  EngineOptions options_;
  Outcome expected_;
};

TEST_P(Digest, Oracle) {
  OracleOptions options;
  options.trace = true;
  const Outcome outcome = simulate(world_, options);
  EXPECT_EQ(outcome.event_digest, expected_.event_digest);
  EXPECT_EQ(outcome.links, expected_.links);
  EXPECT_EQ(outcome.end_ps, expected_.end_ps);
  EXPECT_EQ(outcome.totals.packet_hops, expected_.totals.packet_hops);
  EXPECT_EQ(outcome.reason, expected_.reason);
}

TEST_P(Digest, TwoThreads) {
  options_.threads = 2;
  options_.sharing_from_nodes = 0;
  expect_same(world_, options_, "2 threads");
}

TEST_P(Digest, ShuffledTeams) {
  options_.shuffled = true;
  for (u64 seed = 1; seed <= 3; ++seed) {
    options_.shuffle_seed = seed;
    expect_same(world_, options_, "shuffled with seed " + std::to_string(seed));
  }
}

TEST_P(Digest, HalfAndQuarterTick) {
  World world = world_;
  for (const TimePs part : {2, 4}) {
    world.clocks.tick_ps = world_.clocks.tick_ps / part;
    expect_same(world, options_, "tick / " + std::to_string(part));
  }
}

TEST_P(Digest, TickBatches) {
  options_.sharing_from_nodes = 0;
  for (const u32 threads : {1u, 2u}) {
    for (const u32 ticks : {1u, 2u, 3u}) {
      options_.threads = threads;
      options_.max_batch_ticks = ticks;
      expect_same(world_, options_, fmt::format("{} threads, {} ticks at the most", threads, ticks));
    }
  }
}

/// One of the configurations has several tick groups with endpoints; most of the small ones have all endpoints in one.
TEST(DigestOfTickGroups, RacksGoThroughTicksByThemselves) {
  World world = world_named("racks_of_their_own");
  for (const u32 part : {1u, 4u}) {
    world.clocks.tick_ps /= part;
    Model model;
    instantiate(world, {}, model);
    const TickGroups groups = tick_groups_of(model, {}, world.clocks.tick_ps);
    EXPECT_EQ(groups.batch_ticks, part == 1 ? 2u : kMaxBatchTicks);
    EXPECT_EQ(groups.count(), 3u);
    EXPECT_EQ(groups.alone.size(), 18u);
  }
}

TEST_P(Digest, NumberingInsideTheEngine) {
  for (u64 seed = 1; seed <= 2; ++seed) {
    options_.numbering_seed = seed;
    expect_same(world_, options_, "numbering seed " + std::to_string(seed));
  }
}

TEST_P(Digest, SeriesOn) {
  Engine engine(world_, options_);
  std::vector<LinkCounters> counters(world_.fabric.links.size());
  const TimePs step = std::max<TimePs>(expected_.end_ps / 200, 999'983);  // multiples of it meet no grid
  for (TimePs t = step; engine.advance(t); t += step) engine.link_counters(counters);
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.digest, expected_.digest);
  EXPECT_EQ(outcome.end_ps, expected_.end_ps);
}

/// Returns the cut that `heddle run` makes, and one that ignores racks where there are too few of them.
std::vector<Part> parts_of(const World& world, u32 ranks) {
  try {
    return cut_world(world, ranks % 2 == 0 ? "metis" : "blocks", ranks).parts();
  } catch (const std::invalid_argument&) {
    return property::random_cut(world, ranks, ranks);
  }
}

TEST_P(Digest, Ranks) {
  for (const u32 ranks : {2u, 3u, 4u, 8u}) {
    expect_equal(property::outcome_in_ranks(world_, options_, parts_of(world_, ranks)),
                 std::to_string(ranks) + " ranks");
  }
}

/// The invariant checker runs after every tick and finds nothing; the bits stay the same.
TEST_P(Digest, InvariantsChecked) {
  options_.check = true;
  expect_same(world_, options_, "checked");
}

INSTANTIATE_TEST_SUITE_P(All, Digest, testing::ValuesIn(names()), [](const auto& config) { return config.param; });

/// Runs only with a GPU and a build for it.
TEST(DigestOnGpu, EqualsCpu) {
  EngineOptions cpu, gpu;
  cpu.trace = gpu.trace = true;
  gpu.device = Device::gpu;
  try {
    const Engine probe(world_named("simultaneous"), gpu);
  } catch (const std::invalid_argument& e) {
    GTEST_SKIP() << e.what();
  }
  for (const std::string& name : names()) {
    const World world = world_named(name);
    EXPECT_EQ(run_engine(world, gpu).digest, run_engine(world, cpu).digest) << name;
  }
}

TEST(DigestConfigurations, PauseOverrunAndMarkAsTheirNamesSay) {
  EngineOptions options;
  options.recorded_kinds = kinds({EventKind::pause});
  const World incast = world_named("greedy_incast");
  u64 nics = 0;
  for (const Event& e : run_engine(incast, options).events) {
    const Fabric& f = incast.fabric;
    nics += f.links[f.nodes[e.node].first_link + e.port].dst < f.endpoints ? 1 : 0;
  }
  EXPECT_GE(nics, 16u) << "pauses of the senders' NICs";
  EXPECT_GT(run_engine(world_named("overruns_static")).totals.drops[1], 0u);
  EXPECT_GT(run_engine(world_named("overruns_dynamic")).totals.drops[1], 0u);
  for (const char* name : {"dcqcn_paper", "dcqcn_connectx", "dcqcn_hpcc"})
    EXPECT_GT(run_engine(world_named(name)).totals.cnps, 0u) << name;
}

}  // namespace
}  // namespace heddle::acceptance
