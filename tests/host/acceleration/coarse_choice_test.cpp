// How many MTUs a packet may carry, and what coarse packets cannot answer.
#include "host/acceleration/coarse_choice.hpp"

#include <gtest/gtest.h>

#include "host/build.hpp"
#include "host/error.hpp"

namespace heddle {
namespace {

World world_of(const std::string& work, const std::string& more = "[dcqcn]\nenabled = false\n") {
  return build_world(
      load_config_text("[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 4\nctsws = 2\n"
                       "uplinks_per_rtsw = 4\n" +
                           more + work,
                       "choice.toml"));
}

std::string permutation(u64 bytes) {
  return "[[generator]]\nkind = \"permutation\"\nbytes = " + std::to_string(bytes) + "\n";
}

u32 chosen(const World& world, u32 asked = 0) {
  return choose_coarse(world, {.mode = "bounded", .coarse = asked}, "choice.toml");
}

std::string refusal(const World& world, u32 asked = 0) {
  try {
    chosen(world, asked);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CoarseChoice, EightPacketsAreLeftToAMessage) {
  EXPECT_EQ(chosen(world_of(permutation(64 * 4096))), 8u);
  EXPECT_EQ(chosen(world_of(permutation(63 * 4096))), 4u);
  EXPECT_EQ(chosen(world_of(permutation(16 * 4096))), 2u);
  EXPECT_EQ(chosen(world_of(permutation(640 * 4096))), 8u) << "the second run's frames have 16 MTUs, and 32 do not fit";
  EXPECT_EQ(chosen(world_of(permutation(640 * 4096), "[dcqcn]\nenabled = false\n[roce]\nmtu = 1024\n")), 16u);
  EXPECT_EQ(chosen(world_of(permutation(64 * 4096)), 4), 4u) << "less than is allowed";
}

TEST(CoarseChoice, RefusesWhatCannotBeToldApartFromTheTruth) {
  EXPECT_NE(refusal(world_of(permutation(15 * 4096))).find("messages of 15 packets of roce.mtu, of which 8"),
            std::string::npos);
  EXPECT_NE(refusal(world_of(permutation(64 * 4096)), 16).find("acceleration.coarse = 16, but at most 8"),
            std::string::npos);
  EXPECT_NE(refusal(world_of(permutation(64 * 4096)), 3).find("2, 4, 8 or 16"), std::string::npos);
}

TEST(CoarseChoice, TheMessagesThatCarryMostBytesCount) {
  const World world = world_of(permutation(64 * 4096) + permutation(4096) + permutation(4096));
  EXPECT_EQ(dominant_message(world).packets, 64u);
  const World ring = world_of(
      "[[job]]\ngpus = 8\ngpus_per_server = 1\nchannels = 1\nqps_per_connection = 2\nqp_scaling = \"split\"\n"
      "algorithm = \"ring\"\nprotocol = \"simple\"\n[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"64 MiB\"]\n");
  const World whole = world_of(
      "[[job]]\ngpus = 8\ngpus_per_server = 1\nchannels = 1\nqps_per_connection = 2\nqp_scaling = \"round_robin\"\n"
      "algorithm = \"ring\"\nprotocol = \"simple\"\n[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"64 MiB\"]\n");
  EXPECT_EQ(dominant_message(ring).bytes * 2, dominant_message(whole).bytes) << "a slice is split over two queue pairs";
  const World all = world_of(
      "[[job]]\ngpus = 8\ngpus_per_server = 2\np2p_channels = 1\n[[job.collective]]\nkind = \"all_to_all\"\n"
      "sizes = [\"8 MiB\"]\n");
  EXPECT_GT(dominant_message(all).packets, 16u);
}

TEST(CoarseChoice, NamesWhatCoarsePacketsCannotAnswer) {
  const std::string work = permutation(64 * 4096);
  const auto why = [&](const std::string& more) { return why_not_coarse(world_of(work, more)); };
  EXPECT_EQ(why("[dcqcn]\nenabled = false\n"), "");
  EXPECT_NE(why("[dcqcn]\nenabled = true\n").find("dcqcn cuts rates by single packets"), std::string::npos);
  EXPECT_NE(why("[routing]\npolicy = \"spray\"\n").find("single packets or flowlets"), std::string::npos);
  EXPECT_NE(why("[routing]\npolicy = \"flowlet\"\n").find("single packets or flowlets"), std::string::npos);
  EXPECT_NE(why("[class.lossless]\npfc = false\nlimit = \"1 MiB\"\n").find("without PFC"), std::string::npos);
  EXPECT_NE(why("[dcqcn]\nenabled = false\n[class.lossless]\nlimit = \"1 MiB\"\n").find("a class with a limit"),
            std::string::npos);
  EXPECT_NE(why("[dcqcn]\nenabled = false\n[roce]\nwindow_packets = 100\n").find("how long a full window waits"),
            std::string::npos);
  const auto ring = [](const std::string& qps) {
    return why_not_coarse(
        world_of("[[job]]\ngpus = 8\ngpus_per_server = 1\nalgorithm = \"ring\"\nprotocol = \"simple\"\n" + qps +
                 "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"64 MiB\"]\n"));
  };
  EXPECT_NE(ring("qps_per_connection = 4\nqp_scaling = \"round_robin\"\n").find("take turns"), std::string::npos);
  EXPECT_EQ(ring("qps_per_connection = 4\nqp_scaling = \"split\"\n"), "");
  EXPECT_EQ(ring("qps_per_connection = 1\nqp_scaling = \"round_robin\"\n"), "");
  EXPECT_NE(why("[link]\nwhole_nanoseconds = true\n").find("whole_nanoseconds"), std::string::npos);
  EXPECT_NE(why("[[slow_receiver]]\nendpoints = [0]\ndrain_rate = \"100 Gb/s\"\n").find("slow receiver"),
            std::string::npos);
  EXPECT_NE(why("[[failure]]\nnode = \"ctsw0\"\nat = \"10 us\"\n").find("links fail"), std::string::npos);
}

}  // namespace
}  // namespace heddle
