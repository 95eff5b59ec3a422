// Texts of `check` and `run` on collectives whose algorithms NCCL's tuner rates nearly equal.
#include "host/check/collective_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/config/config.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

/// One all-gather on 128 GPUs, one per rack, with 2 channels.
Config config_of(const std::string& size, const std::string& job = "", const std::string& host = "none") {
  return load_config_text(
      "[collective]\nhost = \"" + host +
          "\"\n[topology]\nkind = \"ai_zone\"\nracks = 128\ngpus_per_rack = 1\nctsws = 2\nuplinks_per_rtsw = 2\n"
          "[[job]]\ngpus_per_server = 1\nchannels = 2\n" +
          job + "[[job.collective]]\nkind = \"all_gather\"\nsizes = [\"" + size + "\"]\n",
      "test.toml");
}

TEST(NearTies, AreNamedWithBothPredictions) {
  const Config config = config_of("380 MB");
  const World world = build_world(config);
  ASSERT_EQ(world.collectives.collectives.at(0).protocol, Protocol::ll128) << "as NCCL's tuner has it";
  const std::string run = near_ties_text(world, config.jobs), check = collective_text(world, config.jobs);
  EXPECT_NE(run.find("job 0: all_gather on 128 GPUs of 380 MB: auto takes ring ll128 (predicted: "), std::string::npos)
      << run;
  EXPECT_NE(run.find("us); ring simple is predicted to take 0.1 % more: try --set job.0.protocol=simple\n"),
            std::string::npos)
      << run;
  EXPECT_NE(check.find("by the model of NCCL v2.26"), std::string::npos) << check;
  EXPECT_NE(check.find("; ring simple "), std::string::npos) << check;
  EXPECT_NE(check.find("us, 0.1 % more: simulate both)"), std::string::npos) << check;
}

TEST(HostText, NamesTheServersAndWhatAChannelCopies) {
  const Config config = config_of("1 MiB", "algorithm = \"ring\"\nprotocol = \"ll128\"\n");
  EXPECT_EQ(host_text(config), "servers    collective.host none: launch 6.6 us, send/recv 6.6 us\n");
  EXPECT_EQ(collective_text(build_world(config), config.jobs).find("a channel end copies"), std::string::npos);
  const Config h100 = config_of("1 MiB", "algorithm = \"ring\"\nprotocol = \"ll128\"\n", "h100");
  EXPECT_EQ(host_text(h100),
            "servers    collective.host h100: launch 6.6 us, send/recv 31.6 us; a channel copies 20.7 GB/s by simple, "
            "14 GB/s by ll, 18.35 GB/s by ll128, 36 GB/s by nvls\n");
  EXPECT_NE(collective_text(build_world(h100), h100.jobs).find("); a channel end copies 18.4 GB/s\n"),
            std::string::npos);
}

/// For 64 KiB the others take several times as long by the model.
TEST(NearTies, AreNoneWhereTheModelTellsThemApart) {
  const Config config = config_of("64 KiB");
  const World world = build_world(config);
  EXPECT_EQ(near_ties_text(world, config.jobs), "");
  EXPECT_EQ(collective_text(world, config.jobs).find("simulate both"), std::string::npos);
}

/// `run` reports no tie for an algorithm that was chosen by name.
TEST(NearTies, AreOfAutoAlone) {
  const Config config = config_of("380 MB", "algorithm = \"ring\"\nprotocol = \"ll128\"\n");
  const World world = build_world(config);
  EXPECT_EQ(near_ties_text(world, config.jobs), "");
  EXPECT_NE(collective_text(world, config.jobs).find("simulate both"), std::string::npos);
}

}  // namespace
}  // namespace heddle
