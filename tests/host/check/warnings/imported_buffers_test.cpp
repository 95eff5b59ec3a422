// Packet memory of imported fabrics: the same everywhere, and reported.
#include "host/check/warnings/imported_buffers.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/buffer_options.hpp"
#include "tests/scratch.hpp"

namespace heddle {
namespace {

/// Two racks below one spine.
class ImportedBuffers : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(scratch_.path() / "deep.topo")
        << "7 3 6\n4 5 6\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n4 6 100Gbps 1us "
           "0\n5 6 100Gbps 1us 0\n";
  }
  Config config(const std::string& more) const {
    return load_config_text(
        "[topology]\nkind = 'hpcc'\nfile = 'deep.topo'\n[[message]]\nsrc = 0\ndst = 2\nbytes = "
        "1000\n" +
            more,
        (scratch_.path() / "run.toml").string());
  }
  std::string note(const std::string& more) const {
    const Config made = config(more);
    return about_imported_buffers(made, build_world(made));
  }

  const test::ScratchFolder scratch_;
};

/// Spines do not have Meta's 500 MB for each port.
TEST_F(ImportedBuffers, AreAllAlike) {
  const World world = build_world(config(""));
  ASSERT_EQ(world.fabric.pools.size(), 6u) << "two halves of three switches";
  for (const Pool& pool : world.fabric.pools) EXPECT_EQ(pool.limit_bytes, imported_buffer_defaults().bytes / 2);
  for (const Link& link : world.fabric.links)
    EXPECT_EQ(link.pool == kNone, link.dst < world.fabric.endpoints) << "shared";
  const Config built = load_config_text("[topology]\nkind = 'ai_zone'\n", "zone.toml");
  EXPECT_EQ(built.fabric.ctsw_buffer.bytes, 500'000'000u) << "of other fabrics as ever";
}

TEST_F(ImportedBuffers, AreSaidOnceWithWhereToSetThem) {
  const std::string said = note("");
  EXPECT_NE(said.find("its switches have 119.2 MB each here"), std::string::npos) << said;
  EXPECT_NE(
      said.find("Set bytes in [buffer.rtsw] (next to hosts), [buffer.ctsw] (one link farther) to what yours have"),
      std::string::npos)
      << said;
  const std::string half = note("[buffer.rtsw]\nbytes = '32 MiB'\n");
  EXPECT_EQ(half.find("buffer.rtsw"), std::string::npos) << half;
  EXPECT_NE(half.find("[buffer.ctsw]"), std::string::npos) << half;
  EXPECT_EQ(note("[buffer.rtsw]\nbytes = '32 MiB'\n[buffer.ctsw]\nbytes = '32 MiB'\n"), "");
  EXPECT_EQ(note("[class.lossless]\npfc = false\nlimit = '1 MiB'\n"), "") << "nothing is paused";
}

/// The configuration of a tier overrides these defaults, and reads back.
TEST_F(ImportedBuffers, CanBeGivenForATier) {
  const Config made = config("[buffer.ctsw]\nalpha = 0.5\n");
  EXPECT_EQ(made.fabric.ctsw_buffer.kind, "shared");
  EXPECT_EQ(made.fabric.ctsw_buffer.alpha, 0.5);
  EXPECT_EQ(made.fabric.ctsw_buffer.bytes, made.fabric.rtsw_buffer.bytes);
  const Config again = load_config_text(resolved_text(made), made.path);
  EXPECT_EQ(config_hash(again), config_hash(made));
}

}  // namespace
}  // namespace heddle
