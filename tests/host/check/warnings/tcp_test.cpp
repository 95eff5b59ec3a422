// Warnings about settings under which TCP works badly.
#include "host/check/warnings/tcp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/check/warnings/loss_text.hpp"
#include "host/check/warnings/unused_keys.hpp"
#include "host/check/warnings/warnings.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

const std::string kTcpZone =
    "[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 4\n";
const std::string kTcpMessage = "[[message]]\nsrc = 0\ndst = 3\nbytes = \"1 MiB\"\nclass = \"best_effort\"\n";
const std::string kTcpClass = "[class.best_effort]\ntransport = \"tcp\"\n";

std::vector<std::string> tcp_warnings(const std::string& text) {
  return warnings_of_tcp(build_world(kTcpZone + text + kTcpMessage, "test.toml"));
}

bool says(const std::vector<std::string>& warnings, const std::string& part) {
  return std::ranges::any_of(warnings, [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

TEST(TcpWarnings, SprayingIsTakenForLosses) {
  const std::string spray = "[routing]\npolicy = \"spray\"\n";
  EXPECT_TRUE(says(tcp_warnings(spray + kTcpClass),
                   "routing policy spray (rtsw0 and others) with "
                   "class.best_effort.transport = \"tcp\""));
  EXPECT_TRUE(tcp_warnings("[routing]\npolicy = \"ecmp\"\n" + kTcpClass).empty());
  EXPECT_TRUE(tcp_warnings(spray + kTcpClass + "[tcp]\nloss_detection = \"rack\"\n").empty());
  EXPECT_TRUE(tcp_warnings(spray).empty()) << "RoCE has a warning of its own";
  const World world = build_world(kTcpZone + spray + kTcpClass + kTcpMessage, "test.toml");
  EXPECT_FALSE(says(warnings_of(world), "roce.recovery")) << "no data go by RoCE";
}

/// Spines of another network do not concern connections of the first one.
TEST(TcpWarnings, SprayingElsewhereDoesNotMatter) {
  const std::string other =
      "[routing]\npolicy = \"ecmp\"\n[[fabric]]\nname = \"frontend\"\n[fabric.topology]\nkind = \"two_tier\"\n"
      "[fabric.topology.two_tier]\nleaves = 2\ngpus_per_leaf = 2\nspines = 2\nuplinks_per_leaf = 2\n"
      "[fabric.tier.leaf]\npolicy = \"spray\"\n";
  EXPECT_TRUE(tcp_warnings(other + kTcpClass).empty());
}

TEST(TcpWarnings, DctcpNeedsMarks) {
  const std::string dctcp = "[tcp]\ncontrol = \"dctcp\"\n", marked = kTcpClass + "ecn = true\n";
  EXPECT_TRUE(says(tcp_warnings(kTcpClass + dctcp), "tcp.control is \"dctcp\", but class.best_effort.ecn is false"));
  EXPECT_TRUE(says(tcp_warnings("[ecn]\nenabled = false\n" + marked + dctcp), "no switch on its way marks"));
  EXPECT_TRUE(tcp_warnings(marked + dctcp).empty());
  EXPECT_TRUE(tcp_warnings(kTcpClass).empty()) << "New Reno needs none";
}

TEST(TcpWarnings, AClassWithoutDataSimulatesNothingOfTcp) {
  const auto warnings = [](const std::string& text) {
    return warnings_of_tcp(build_world(kTcpZone + text, "test.toml"));
  };
  const std::string other = "[[message]]\nsrc = 0\ndst = 3\nbytes = 1\n";
  EXPECT_TRUE(says(warnings(kTcpClass + other), "but class best_effort carries no data"));
  EXPECT_TRUE(warnings(kTcpClass + kTcpMessage).empty());
  EXPECT_TRUE(warnings(other).empty());
}

TEST(TcpWarnings, AWindowWithoutAnAckWaitsForItsDelay) {
  const std::string first = "is more than tcp.initial_window_segments (10): the first window of a connection";
  EXPECT_TRUE(says(tcp_warnings(kTcpClass + "[tcp]\nack_every_segments = 11\n"), first));
  EXPECT_TRUE(says(tcp_warnings(kTcpClass + "[tcp]\nack_every_segments = 11\n"), "tcp.ack_delay (40 ms)"));
  EXPECT_TRUE(tcp_warnings(kTcpClass + "[tcp]\nack_every_segments = 10\n").empty());
  EXPECT_TRUE(says(tcp_warnings(kTcpClass + "[tcp]\nack_every_segments = 65\nwindow_segments = 64\n"),
                   "is more than tcp.window_segments (64): every window"));
}

TEST(TcpWarnings, AnOverheadIsThatOfEthernet) {
  EXPECT_TRUE(
      says(tcp_warnings(kTcpClass + "[tcp]\noverhead = 77\n"), "tcp.overhead of 77 B is less than Ethernet needs"));
  EXPECT_TRUE(tcp_warnings(kTcpClass + "[tcp]\noverhead = 78\n").empty());
}

TEST(TcpWarnings, LossesAreRepairedAsTheTransportDoes) {
  const World tcp = build_world(kTcpZone + kTcpClass + kTcpMessage, "test.toml");
  EXPECT_EQ(loss_text(tcp).rfind("losses     tcp (new_reno): a lost segment is retransmitted", 0), 0u)
      << loss_text(tcp);
  const World cubic = build_world(kTcpZone + kTcpClass + kTcpMessage + "[tcp]\ncontrol = \"cubic\"\n", "test.toml");
  EXPECT_EQ(loss_text(cubic).rfind("losses     tcp (cubic)", 0), 0u) << loss_text(cubic);
  const World roce = build_world(kTcpZone + kTcpClass, "test.toml");
  EXPECT_EQ(loss_text(roce).find("tcp"), std::string::npos) << "no data go by TCP";
}

TEST(TcpWarnings, KeysOfTcpHaveNoEffectWithoutData) {
  const std::string path = testing::TempDir() + "heddle_tcp_keys.toml";
  const auto unused = [&](const std::string& text) {
    std::ofstream(path) << kTcpZone + text + kTcpMessage;
    const Config config = load_config(path);
    return unused_keys(config, {}, build_world(config));
  };
  EXPECT_TRUE(says(unused("[tcp]\nrto_min = \"5 ms\"\n"),
                   "tcp.rto_min has no effect here: no class with data has transport = \"tcp\""));
  EXPECT_TRUE(unused("[tcp]\nrto_min = \"5 ms\"\n" + kTcpClass).empty());
  const std::string roce =
      "[dcqcn]\nenabled = false\n[roce]\nrto = \"5 ms\"\nrto_tries = 3\nposting_delay = \"1 us\"\n";
  const std::vector<std::string> of_roce = unused(kTcpClass + roce);
  EXPECT_TRUE(says(of_roce, "roce.rto has no effect here: all data go by TCP"));
  EXPECT_TRUE(says(of_roce, "roce.rto_tries has no effect here"));
  EXPECT_FALSE(says(of_roce, "posting_delay")) << "TCP has it, too";
  EXPECT_TRUE(unused(roce).empty());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace heddle
