// Estimated memory for packets, against the memory of runs.
#include "host/check/estimates/queue_memory.hpp"

#include <gtest/gtest.h>

#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

World world_of(const std::string& more) {
  return build_world(
      "[topology]\nkind = \"ai_zone\"\nracks = 8\ngpus_per_rack = 16\nctsws = 4\nuplinks_per_rtsw = 16\n"
      "[routing]\npolicy = \"e_ecmp\"\n[dcqcn]\nenabled = false\n[roce]\nrto = \"1 s\"\n"
      "[workload]\nqps_per_pair = 4\n[[generator]]\n" +
          more,
      "test.toml");
}

/// Memory of queued packets in a whole run.
double taken_bytes(const World& world) {
  Engine engine(world, {.memory_limit_bytes = u64{1} << 30});
  const u64 before = engine.memory_bytes();
  while (engine.advance(kNever)) {
  }
  return static_cast<double>(engine.memory_bytes() - before);
}

/// Counting packets alone gives a third of it: rings are the next power of two, and leave as much behind.
TEST(QueueMemory, OfAnIncast) {
  const World world = world_of("kind = \"incast\"\nbytes = \"4 MiB\"\nfan_in = 100\nmessages = 4\n");
  const QueueMemory memory = queue_memory(world, link_loads(world));
  const double taken = taken_bytes(world);
  EXPECT_GT(static_cast<double>(memory.likely_bytes), taken * 0.7);
  EXPECT_LT(static_cast<double>(memory.likely_bytes), taken * 1.7);
  EXPECT_GT(static_cast<double>(memory.max_bytes), taken);
}

TEST(QueueMemory, OfAPermutation) {
  const World world = world_of("kind = \"permutation\"\nbytes = \"1 MiB\"\nmessages = 4\n");
  const QueueMemory memory = queue_memory(world, link_loads(world));
  const double taken = taken_bytes(world);
  EXPECT_GT(static_cast<double>(memory.likely_bytes), taken * 0.5);
  EXPECT_LT(static_cast<double>(memory.likely_bytes), taken * 3);
  EXPECT_GT(static_cast<double>(memory.max_bytes), taken);
}

TEST(QueueMemory, NoQueueHoldsMoreThanItsSwitch) {
  const std::string traffic = "kind = \"incast\"\nbytes = \"64 MiB\"\nfan_in = 100\nmessages = 4\n";
  const World large = world_of(traffic), small = world_of(traffic + "[buffer.ctsw]\nbytes = \"2 MB\"\n");
  EXPECT_LT(4 * queue_memory(small, link_loads(small)).likely_bytes,
            queue_memory(large, link_loads(large)).likely_bytes);
}

/// Answers of RoCE are as many, and as large, with a TCP connection in another rack.
TEST(QueueMemory, AConnectionOfTcpElsewhereChangesLittle) {
  const std::string roce = "kind = \"permutation\"\nbytes = \"1 MiB\"\nmessages = 4\nhosts = 112\n";
  const World with = world_of(roce +
                              "[class.best_effort]\ntransport = \"tcp\"\n[[message]]\nsrc = 120\ndst = 121\n"
                              "bytes = \"1 MiB\"\nclass = \"best_effort\"\n");
  const World without = world_of(roce);
  const auto likely = [](const World& world) {
    return static_cast<double>(queue_memory(world, link_loads(world)).likely_bytes);
  };
  EXPECT_NEAR(likely(with), likely(without), 0.02 * likely(without));
  const LinkLoads loads = link_loads(with);
  const LinkLoad& of_tcp = loads.of[with.fabric.nodes[121].first_link];
  EXPECT_GT(of_tcp.max_tcp_answers, 0);
  EXPECT_EQ(of_tcp.max_tcp_answers, of_tcp.max_answers);
  EXPECT_EQ(loads.of[with.fabric.nodes[0].first_link].max_tcp_answers, 0);
}

}  // namespace
}  // namespace heddle
