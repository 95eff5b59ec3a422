// Tests shrinking with artificial failures: it finds a small world that still "fails" and can be run again.
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "kernels/engine/engine.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/check.hpp"
#include "tests/property/sandbox.hpp"
#include "tests/property/shrink.hpp"
#include "tests/property/toml_tree.hpp"
#include "tests/scratch.hpp"

namespace heddle::property {
namespace {

using Failure = std::function<bool(const World&)>;
constexpr std::chrono::hours kLimit{1};  // never reached: a test must not depend on the machine's speed

/// Returns the first failing world from `seed` on with at least `packets` packets.
WorldCase failing_case(u64 seed, u64 packets, const Failure& fails) {
  for (;; ++seed) {
    const WorldCase world_case = case_of_seed(seed);
    const World world = build(world_case);
    if (WorldSize(world).packets >= packets && fails(world)) return world_case;
  }
}

/// Returns the kept world as it is read from its file.
World kept_and_read(const WorldCase& world_case) {
  const test::ScratchFolder folder;
  return build(read_case(keep(world_case, folder.path())));
}

bool pauses(const World& world) { return simulate(world, {}).totals.pauses > 0; }

/// An engine that draws its chances from another seed than the oracle.
bool wrong_engine_differs(const World& world) {
  World other = world;
  other.seed += 1;
  EngineOptions options;
  options.memory_limit_bytes = 64 << 20;
  Engine engine(other, options);
  engine.advance(kNever);
  return engine.outcome().event_digest != simulate(world, {}).event_digest;
}

TEST(Shrink, FindsASmallWorldThatPauses) {
  const WorldCase start = failing_case(1, 300, pauses);
  const Shrunk shrunk = shrink(start, pauses, kLimit);
  const World world = kept_and_read(shrunk.smallest);
  EXPECT_TRUE(pauses(world));
  EXPECT_LE(world.fabric.endpoints, 4u) << shrunk.smallest.toml;
  EXPECT_LE(world.traffic.messages.size(), 2u);
  EXPECT_LT(WorldSize(world).packets * 10, WorldSize(build(start)).packets);
  EXPECT_LT(shrunk.smallest.toml.size() * 4, start.toml.size()) << shrunk.smallest.toml;
  EXPECT_LT(shrunk.tried, 20'000u) << "reductions undo each other";
}

TEST(Shrink, FindsASmallWorldForAWrongEngine) {
  const WorldCase start = failing_case(100, 300, wrong_engine_differs);
  const Shrunk shrunk = shrink(start, wrong_engine_differs, kLimit);
  const World world = kept_and_read(shrunk.smallest);
  EXPECT_TRUE(wrong_engine_differs(world));
  EXPECT_LT(simulate(world, {}).totals.packet_hops * 10, simulate(build(start), {}).totals.packet_hops);
  EXPECT_LT(shrunk.smallest.toml.size() * 2, start.toml.size()) << shrunk.smallest.toml;
}

WorldCase twisted_case(const Failure& fails) {
  for (u64 seed = 1;; ++seed) {
    WorldCase world_case = case_of_seed(seed);
    if (world_case.twist && fails(build(world_case))) return world_case;
  }
}

TEST(Shrink, DropsATwistThatIsNotNeeded) {
  const Failure sends = [](const World& world) { return !world.traffic.messages.empty(); };
  const Shrunk shrunk = shrink(twisted_case(sends), sends, kLimit);
  EXPECT_FALSE(shrunk.smallest.twist) << text_of(shrunk.smallest);
}

TEST(Shrink, KeepsThePartOfATwistThatIsNeeded) {
  const Failure four_classes = [](const World& world) { return world.fabric.classes.size() == 4; };
  const Shrunk shrunk = shrink(twisted_case(four_classes), four_classes, kLimit);
  ASSERT_TRUE(shrunk.smallest.twist);
  EXPECT_EQ(shrunk.smallest.twist->parts, kTwistClasses);
  EXPECT_TRUE(four_classes(kept_and_read(shrunk.smallest))) << "the twist is lost in the file";
}

TEST(Shrink, StopsInTime) {
  const WorldCase start = failing_case(1, 300, pauses);
  const Shrunk shrunk = shrink(start, pauses, std::chrono::milliseconds(0));
  EXPECT_TRUE(shrunk.time_ran_out);
  EXPECT_EQ(text_of(shrunk.smallest), text_of(start));
}

TEST(TomlTree, RemovesAndReducesByPath) {
  toml::table root = toml::parse("[a]\nx = 12\nt = \"300 ns\"\n[[m]]\nb = 1\n[[m]]\nb = 2\n");
  EXPECT_EQ(amount_of(*find(root, {"a", "t"}))->value, 300u);
  set_amount(root, {"a", "t"}, 7);
  EXPECT_EQ(find(root, {"a", "t"})->value<std::string>(), "7 ns");
  EXPECT_TRUE(remove(root, {"m", "0"}));
  EXPECT_EQ(find(root, {"m", "0", "b"})->value<i64>(), 2);
  EXPECT_TRUE(remove(root, {"a", "x"}));
  EXPECT_EQ(find(root, {"a", "x"}), nullptr);
  EXPECT_FALSE(remove(root, {"a", "x"}));
  EXPECT_FALSE(remove(root, {"m", "5"}));
}

TEST(Sandbox, TellsHowAProcessEnded) {
  constexpr std::chrono::seconds kOne{1};
  EXPECT_EQ(ask_in_child([] { return true; }, kOne), ChildEnd::returned_true);
  EXPECT_EQ(ask_in_child([] { return false; }, kOne), ChildEnd::returned_false);
  EXPECT_EQ(ask_in_child([]() -> bool { _exit(std::raise(SIGKILL)); }, kOne), ChildEnd::crashed);
  EXPECT_EQ(ask_in_child([]() -> bool { throw 1; }, kOne), ChildEnd::crashed);
}

TEST(Sandbox, LimitsProcessorTime) {
  constexpr std::chrono::seconds kOne{1};
  const auto waits = [](int milliseconds) {
    return [=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      return true;
    };
  };
  EXPECT_EQ(ask_in_child(waits(2500), kOne), ChildEnd::returned_true) << "as on a busy machine";
  EXPECT_EQ(ask_in_child(waits(60'000), kOne), ChildEnd::too_long);
  const auto computes = [] {
    volatile bool on = true;
    while (on) {
    }
    return true;
  };
  EXPECT_EQ(ask_in_child(computes, kOne), ChildEnd::too_long);
}

}  // namespace
}  // namespace heddle::property
