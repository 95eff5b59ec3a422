// Must show 5: the same digest, departures included, from the engine and the oracle, on 1 and 2 threads, with the Shuffled
// team (3 seeds), at half and a quarter of the tick with the same slot and epoch, with series on or off, and with nodes
// numbered in another order inside: on every acceptance configuration.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

/// Where the oracle (0.3 million packet-hops/s) would take a minute, the same configuration with less of the same traffic:
/// all-reduces are smaller, 3 ms of DCQCN.
std::map<std::string, std::string> cases() {
  return {
      {"flow_star", one_flow(kSmallStar, 1, 4, 1'000'003)},
      {"flow_cross_rack", one_flow(kSmallZone, 1, 14, 1'000'003)},
      {"flow_cross_zone", one_flow(kSmallPods, 3, 6, 1'000'003)},
      {"simultaneous", simultaneous(3, 123'456)},
      {"htsim_one_flow", htsim_leaf_spine() + htsim_model() + htsim_message(250 * 4096)},
      {"ring_one_gpu_per_server", zone(2, 16) + all_reduce(32, 1, "1 MiB")},
      {"ring_eight_gpus_per_server", zone(2, 16) + all_reduce(32, 8, "4 MiB")},
      {"ring_small", "[topology]\nkind = 'star'\nhosts = 8\n" + all_reduce(8, 1, "4 KiB")},
      {"greedy_incast", greedy_incast(1)},
      {"admitted_gather", admitted_gather(1)},
      {"dcqcn_paper", dcqcn_at_40g("paper", "3 ms")},
      {"dcqcn_connectx", dcqcn_at_40g("connectx", "3 ms")},
      {"dcqcn_hpcc", dcqcn_at_40g("hpcc", "3 ms")},
      {"headroom_static", headroom_incast(1, "static", 0)},
      {"headroom_dynamic", headroom_incast(2, "shared", 0)},
      {"overruns_static", headroom_incast(1, "static", 40'000)},
      {"overruns_dynamic", headroom_incast(2, "shared", 40'000)},
  };
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, toml] : cases()) names.push_back(name);
  return names;
}

class Digest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    world_ = world_of(cases().at(GetParam()));
    options_.trace = true;
    expected_ = run_engine(world_, options_);
  }
  void expect_same(const World& world, const EngineOptions& options, const std::string& what) {
    const Outcome outcome = run_engine(world, options);
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
  EXPECT_EQ(outcome.digest, expected_.digest);
  EXPECT_EQ(outcome.end_ps, expected_.end_ps);
  EXPECT_EQ(outcome.totals.packet_hops, expected_.totals.packet_hops);
  EXPECT_EQ(outcome.reason, expected_.reason);
}

TEST_P(Digest, TwoThreads) {
  options_.threads = 2;
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

TEST_P(Digest, NumberingInsideTheEngine) {
  for (u64 seed = 1; seed <= 2; ++seed) {
    options_.numbering_seed = seed;
    expect_same(world_, options_, "numbering seed " + std::to_string(seed));
  }
}

TEST_P(Digest, SeriesOn) {
  Engine engine(world_, options_);
  std::vector<LinkCounters> counters(world_.fabric.links.size());
  const TimePs step = std::max<TimePs>(expected_.end_ps / 200, 999'983);  // in step with no grid
  for (TimePs t = step; engine.advance(t); t += step) engine.link_counters(counters);
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.digest, expected_.digest);
  EXPECT_EQ(outcome.end_ps, expected_.end_ps);
}

/// The invariant checker runs after every tick and finds nothing; the bits stay the same.
TEST_P(Digest, InvariantsChecked) {
  options_.check = true;
  expect_same(world_, options_, "checked");
}

/// Only where a GPU and a build for it are there.
TEST_P(Digest, Gpu) {
  options_.device = Device::gpu;
  try {
    const Engine engine(world_, options_);
  } catch (const std::invalid_argument& e) {
    GTEST_SKIP() << e.what();
  }
  expect_same(world_, options_, "GPU");
}

INSTANTIATE_TEST_SUITE_P(All, Digest, testing::ValuesIn(names()), [](const auto& config) { return config.param; });

}  // namespace
}  // namespace heddle::acceptance
