// [tcp] and class.NAME.transport: defaults, words, refusals with places.
#include <gtest/gtest.h>

#include <string>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

std::string refusal_of_tcp(const std::string& text) {
  return test::message_of<ConfigError>([&] { load_config_text(text, "run.toml"); });
}

void expect_refusal(const std::string& text, const std::string& part) {
  const std::string message = refusal_of_tcp(text);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(TcpConfig, DefaultsAreThoseOfHosts) {
  const TcpSettings tcp = load_config_text("", "run.toml").tcp, plain;
  EXPECT_EQ(tcp.segment_bytes, 1448u);
  EXPECT_EQ(tcp.segment_bytes + tcp.overhead_wire_bytes, 1500u + 14 + 4 + 20) << "a full frame of Ethernet and its gap";
  EXPECT_EQ(tcp.initial_window_segments, 10u) << "RFC 6928";
  EXPECT_EQ(tcp.ack_delay_ps, 40'000'000'000);
  EXPECT_EQ(tcp.rto_initial_ps, 1'000'000'000'000);
  EXPECT_EQ(tcp.rto_min_ps, 200'000'000'000);
  EXPECT_EQ(tcp.growth_limit_segments, 0u) << "none, as Linux";
  EXPECT_EQ(tcp.retries, 15u);
  EXPECT_EQ(tcp.loss_detection, TcpLossDetection::dup_threshold);
  EXPECT_STREQ(problem_of_tcp(plain), "");
}

TEST(TcpConfig, AClassAndItsSettingsReachTheWorld) {
  const std::string text =
      "[topology]\nkind = \"star\"\nhosts = 2\n[class.best_effort]\ntransport = \"tcp\"\n"
      "[tcp]\ncontrol = \"dctcp\"\nsegment = 8948\nwindow_segments = 128\nack_every_segments = 1\nretries = 3\n"
      "growth_limit_segments = 2\nloss_detection = \"rack\"\n";
  const World world = build_world(load_config_text(text, "run.toml"));
  EXPECT_EQ(world.fabric.classes[0].transport, Transport::roce);
  EXPECT_EQ(world.fabric.classes[1].transport, Transport::roce);
  EXPECT_EQ(world.fabric.classes[2].transport, Transport::tcp);
  EXPECT_EQ(world.tcp.control, TcpControl::dctcp);
  EXPECT_EQ(world.tcp.segment_bytes, 8948u);
  EXPECT_EQ(world.tcp.window_segments, 128u);
  EXPECT_EQ(world.tcp.ack_every_segments, 1u);
  EXPECT_EQ(world.tcp.retries, 3u);
  EXPECT_EQ(world.tcp.growth_limit_segments, 2u);
  EXPECT_EQ(world.tcp.loss_detection, TcpLossDetection::rack);
  EXPECT_EQ(framing_of(world, 1).payload_bytes, world.roce.mtu_bytes);
  EXPECT_EQ(framing_of(world, 2).payload_bytes, 8948u);
}

TEST(TcpConfig, ProblemsNameTheKeyWhereItIsGiven) {
  expect_refusal("[tcp]\nsegment = 1000\nwindow_segments = 100\n",
                 "run.toml:3:19: tcp.window_segments must be a power of two from 64 to 65536");
  expect_refusal("[tcp]\nwindow_segments = 64\ninitial_window_segments = 65\n",
                 "run.toml:3:27: tcp.initial_window_segments must be at least 1 and at most tcp.window_segments");
  expect_refusal("[tcp]\noverhead = 41\n", "tcp.overhead: 41 is out of range; expected bytes");
  expect_refusal("[tcp]\nrto_max = \"100 ms\"\n", "tcp.rto_min is more than tcp.rto_max");
  expect_refusal("[tcp]\nrto_max = \"100 ms\"\n", "rto_min 200 ms and rto_max 100 ms");
  expect_refusal("[tcp]\ncontrol = \"vegas\"\n", "\"vegas\" is not one of new_reno|cubic|dctcp");
  expect_refusal("[class.lossless]\ntransport = \"udp\"\n", "\"udp\" is not one of roce|tcp");
}

/// Of worlds that no configuration wrote: its ranges refuse these before.
TEST(TcpConfig, SettingsOfZeroAreRefused) {
  const auto says = [](const TcpSettings& tcp, const std::string& start) {
    const std::string problem = problem_of_tcp(tcp);
    EXPECT_EQ(problem.rfind(start, 0), 0u) << problem;
  };
  TcpSettings acks, first, least;
  acks.ack_every_segments = 0;
  says(acks, "tcp.ack_every_segments must be at least 1: ");
  first.rto_initial_ps = 0;
  says(first, "tcp.rto_initial must be more than 0: ");
  least.rto_min_ps = 0;
  says(least, "tcp.rto_min must be more than 0: ");
  expect_refusal("[tcp]\nack_every_segments = 0\n", "run.toml:2:22");
  expect_refusal("[tcp]\ngrowth_limit_segments = 65537\n", "run.toml:2:25");
}

TEST(TcpConfig, ControlPacketsAndCollectivesNeedRoce) {
  expect_refusal(
      "[class.control]\ntransport = \"tcp\"\n",
      "run.toml:2:13: class.control.transport = \"tcp\": class control carries the ACKs, NAKs, CNPs and CTSs");
  const std::string lossless = "[class.lossless]\ntransport = \"tcp\"\n";
  expect_refusal(
      lossless + "[[job]]\ngpus = 2\n",
      "run.toml:2:13: class.lossless.transport = \"tcp\": the collectives, training and traces of a [[job]]");
  EXPECT_EQ(refusal_of_tcp(lossless), "") << "messages may go by TCP in it";
  EXPECT_EQ(refusal_of_tcp("[class.best_effort]\ntransport = \"tcp\"\n[[job]]\ngpus = 2\n"), "");
}

TEST(TcpConfig, ResolvedTextReadsBack) {
  const std::string given =
      "[class.best_effort]\ntransport = \"tcp\"\n[tcp]\ncontrol = \"dctcp\"\nrto_min = \"5 ms\"\n";
  const std::string text = resolved_text(load_config_text(given, "run.toml"));
  EXPECT_EQ(resolved_text(load_config_text(text, "run.toml")), text);
  EXPECT_NE(text.find("dctcp"), std::string::npos);
}

}  // namespace
}  // namespace heddle
