// One server of SimAI's topologies without a network: traffic on its NVLink.
#include <gtest/gtest.h>

#include <fstream>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/scratch.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

constexpr const char* kJob =
    "[[job]]\ngpus = 4\ngpus_per_server = 4\n[[job.collective]]\nkind = 'all_reduce'\nsizes = ['1 MiB']\n";

std::string server() {
  const std::string path = test::fresh_file("server.topo");
  std::ofstream(path) << "5 4 1 0 4 A800\n4\n0 4 1480Gbps 0.0025ms 0\n1 4 1480Gbps 0.0025ms 0\n"
                         "2 4 1480Gbps 0.0025ms 0\n3 4 1480Gbps 0.0025ms 0\n";
  return "[topology]\nkind = 'simai'\nfile = '" + path + "'\n";
}

World world_of(const std::string& toml) { return build_world(toml, "test.toml"); }

TimePs end_of(const World& world) {
  Engine engine(world, EngineOptions{});
  while (engine.advance(kNever)) {
  }
  EXPECT_EQ(engine.outcome().reason, EndReason::complete);
  EXPECT_EQ(engine.outcome().totals.packet_hops, 0u) << "nothing crosses a network";
  return engine.outcome().end_ps;
}

TEST(LoneServer, RunsAsAStarOfOneServerDoes) {
  const World star =
      world_of(std::string("[topology]\nkind = 'star'\nhosts = 4\n[collective]\nnvlink_rate = '185 GB/s'\n") + kJob);
  EXPECT_EQ(end_of(world_of(server() + kJob)), end_of(star));
}

TEST(LoneServer, HasNothingThatMessagesCouldCross) {
  for (const char* more : {"[[message]]\nsrc = 0\ndst = 1\nbytes = '1 KiB'\n", "[[generator]]\nkind = 'incast'\n"}) {
    const std::string why = test::message_of<ConfigError>([&] { world_of(server() + kJob + more); });
    EXPECT_NE(why.find("is one server without a network"), std::string::npos) << more << why;
  }
}

}  // namespace
}  // namespace heddle
