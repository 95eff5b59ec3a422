// On hundreds of random worlds the engine, run in every way that must not matter, gives what the oracle gives.
// HEDDLE_WORLDS: how many (500); HEDDLE_FIRST_SEED: the first (1).
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/build.hpp"
#include "host/config/config.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/compare.hpp"
#include "tests/property/twist.hpp"
#include "tests/property/world_generator.hpp"

namespace heddle::property {
namespace {

/// Parts of the worlds that may run at the same time.
constexpr u64 kShards = 8;

u64 environment(const char* name, u64 otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// A folder beside this program's, in the build tree.
std::filesystem::path folder(const char* name) {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / name;
  std::filesystem::create_directories(path);
  return path;
}

void write(const std::filesystem::path& file, const std::string& content) { std::ofstream(file) << content; }

/// Writes the world where it can be run again from. Returns the configuration's path.
std::string keep(const RandomWorld& random) {
  const std::filesystem::path at = folder("failed_worlds");
  write(at / random.name, random.toml);
  for (const auto& [name, content] : random.files) write(at / name, content);
  return (at / random.name).string();
}

World build(const RandomWorld& random) {
  const std::filesystem::path at = folder("random_worlds");
  for (const auto& [name, content] : random.files) write(at / name, content);
  World world = build_world(load_config_text(random.toml, (at / random.name).string()));
  for (const auto& [name, content] : random.files) std::filesystem::remove(at / name);
  if (random.twisted) twist(random.seed, random.longest_ps, world);
  return world;
}

/// What happened in the worlds of a shard.
struct Coverage {
  u64 worlds = 0, reasons[6] = {};
  Totals totals;
  u64 ranks_finished = 0;

  void add(const Outcome& o) {
    ++worlds;
    ++reasons[static_cast<u32>(o.reason)];
    totals.packet_hops += o.totals.packet_hops;
    totals.marks += o.totals.marks;
    totals.pauses += o.totals.pauses;
    totals.cnps += o.totals.cnps;
    totals.retransmits += o.totals.retransmits;
    totals.timeouts += o.totals.timeouts;
    for (u32 cause = 0; cause < kDropCauses; ++cause) totals.drops[cause] += o.totals.drops[cause];
    for (const CollectiveOutcome& c : o.collectives) ranks_finished += c.ranks_finished;
  }

  void print() const {
    std::printf("%llu worlds:", static_cast<unsigned long long>(worlds));
    const auto item = [](const char* name, u64 value) {
      std::printf(" %s %llu", name, static_cast<unsigned long long>(value));
    };
    for (u32 r = 0; r < 6; ++r) {
      constexpr const char* kNames[] = {"complete", "horizon", "stalled", "deadlock", "qp_failed", "error"};
      if (reasons[r] != 0) item(kNames[r], reasons[r]);
    }
    item("| hops", totals.packet_hops);
    item("marks", totals.marks);
    item("pauses", totals.pauses);
    item("CNPs", totals.cnps);
    item("retransmits", totals.retransmits);
    item("timeouts", totals.timeouts);
    item("drops: limit", totals.drops[0]);
    item("headroom", totals.drops[1]);
    item("pool", totals.drops[2]);
    item("watchdog", totals.drops[3]);
    item("| ranks", ranks_finished);
    std::printf("\n");
  }
};

void check_world(u64 seed, Coverage& coverage) {
  const RandomWorld random = random_world(seed);
  std::string problem;
  try {
    const World world = build(random);
    Comparison comparison(world);
    coverage.add(comparison.oracle());
    problem = comparison.check(variant(0));
    if (problem.empty()) problem = comparison.check(variant(1 + seed % (kVariants - 1)));
  } catch (const std::exception& error) {
    problem = std::string("refused: ") + error.what();
  }
  if (!problem.empty()) ADD_FAILURE() << "seed " << seed << ", kept as " << keep(random) << "\n" << problem;
}

class EngineEqualsOracle : public testing::TestWithParam<u64> {};

TEST_P(EngineEqualsOracle, Shard) {
  const u64 first = environment("HEDDLE_FIRST_SEED", 1), worlds = environment("HEDDLE_WORLDS", 500);
  Coverage coverage;
  for (u64 i = GetParam(); i < worlds; i += kShards) check_world(first + i, coverage);
  if (coverage.worlds == 0) GTEST_SKIP() << "fewer worlds than shards";
  coverage.print();
}

/// A generator that has become tame would let every engine pass.
TEST(WorldGenerator, EverythingHappens) {
  Coverage coverage;
  for (u64 seed = 1; seed <= 200; ++seed) coverage.add(simulate(build(random_world(seed)), {}));
  coverage.print();
  const Totals& totals = coverage.totals;
  EXPECT_GT(totals.marks, 0u);
  EXPECT_GT(totals.pauses, 0u);
  EXPECT_GT(totals.cnps, 0u);
  EXPECT_GT(totals.retransmits, 0u);
  EXPECT_GT(totals.timeouts, 0u);
  for (u32 cause = 0; cause < kDropCauses; ++cause) EXPECT_GT(totals.drops[cause], 0u) << "cause " << cause;
  EXPECT_GT(coverage.ranks_finished, 0u);
  for (EndReason reason : {EndReason::complete, EndReason::horizon, EndReason::stalled, EndReason::qp_failed}) {
    EXPECT_GT(coverage.reasons[static_cast<u32>(reason)], 0u) << "reason " << static_cast<u32>(reason);
  }
}

TEST(WorldGenerator, ASeedIsAlwaysTheSameWorld) {
  EXPECT_EQ(random_world(7).toml, random_world(7).toml);
  EXPECT_NE(random_world(7).toml, random_world(8).toml);
}

INSTANTIATE_TEST_SUITE_P(Worlds, EngineEqualsOracle, testing::Range<u64>(0, kShards));

}  // namespace
}  // namespace heddle::property
