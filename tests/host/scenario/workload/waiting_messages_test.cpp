// Messages that wait for others: their syntax, when they are posted, and refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/scratch.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

/// A World of messages between endpoints of a star without jitter, one for each text.
World world_of(const std::vector<std::string>& messages, const std::string& more = "") {
  std::string toml = "[topology]\nkind = 'star'\nhosts = 8\n[workload]\njitter_packets = 0\n" + more;
  for (const std::string& message : messages) toml += "[[message]]\nbytes = '10 KB'\n" + message + "\n";
  return build_world(toml, "test.toml");
}

/// Outcomes by message number in the configuration: the messages have one source each, by which the World orders them.
std::vector<MessageOutcome> run(const World& world) {
  Engine engine(world, EngineOptions{});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  return outcome.messages;
}

TEST(WaitingMessages, BeginWhenTheOtherIsAcknowledged) {
  const World world = world_of(
      {"src = 0\ndst = 1", "src = 0\ndst = 2\nafter_sent = [0]", "src = 0\ndst = 3\nafter_sent = [1]\npost = '3 us'"});
  EXPECT_EQ(world.traffic.messages[1].waits_for, 1u);
  const std::vector<MessageOutcome> done = run(world);
  EXPECT_EQ(done[0].posted_ps, -1) << "it does not wait";
  EXPECT_EQ(done[1].posted_ps, done[0].acked_ps);
  EXPECT_EQ(done[1].start_ps, done[0].acked_ps) << "nothing else is to be sent";
  EXPECT_EQ(done[2].posted_ps, done[1].acked_ps + 3'000'000);
  EXPECT_EQ(done[2].start_ps, done[2].posted_ps);
  EXPECT_EQ(posted_ps(world.traffic.messages[0], done[0]), 0);
  EXPECT_EQ(posted_ps(world.traffic.messages[2], done[2]), done[2].posted_ps);
}

TEST(WaitingMessages, BeginWhenTheOtherIsReceived) {
  const std::vector<MessageOutcome> done = run(
      world_of({"src = 0\ndst = 1", "src = 1\ndst = 2\nafter_received = [0]", "src = 2\ndst = 0\nafter_received = [1]"},
               "[roce]\nposting_delay = '2 us'\n"));
  for (u32 m : {1u, 2u}) {
    EXPECT_EQ(done[m].posted_ps, done[m - 1].received_ps);
    EXPECT_EQ(done[m].start_ps, done[m - 1].received_ps + 2'000'000);
  }
}

/// Messages 0 and 1 end one after the other; 2 needs one of them, 3 both, in either order.
TEST(WaitingMessages, SomeOfThemMayBeEnough) {
  const std::vector<std::string> two = {"src = 0\ndst = 4", "src = 1\ndst = 0\npost = '50 us'"};
  const auto posted = [&](const std::string& count) {
    std::vector<std::string> messages = two;
    messages.push_back("src = 0\ndst = 5\nafter_sent = [0]\nafter_received = [1]\n" + count);
    const World world = world_of(messages);
    const std::vector<MessageOutcome> done = run(world);  // order: 0's first message, 0's waiting one, 1's
    return std::pair{done[1].posted_ps == done[0].acked_ps, done[1].posted_ps == done[2].received_ps};
  };
  EXPECT_EQ(posted("after_count = 1"), (std::pair{true, false}));
  EXPECT_EQ(posted("after_count = 2"), (std::pair{false, true}));
  EXPECT_EQ(posted(""), (std::pair{false, true}));
}

/// A waiting message has a QP of its own, so later messages need not wait behind it.
TEST(WaitingMessages, KeepUpNoOther) {
  const World world = world_of({"src = 0\ndst = 1", "src = 0\ndst = 1\nafter_sent = [0]", "src = 0\ndst = 1"});
  ASSERT_EQ(world.traffic.qps.size(), 2u);
  const std::vector<MessageOutcome> done = run(world);
  u32 last = 0;
  for (u32 m = 1; m < 3; ++m) last = world.traffic.messages[m].waits_for != 0 ? m : last;
  for (u32 m = 0; m < 3; ++m) EXPECT_LE(done[m].acked_ps, done[last].acked_ps);
}

/// Answers on a connection leave in the order of the file, whatever they wait for.
TEST(WaitingMessages, OnAConnectionTheyHoldBackTheNext) {
  const World world =
      world_of({"src = 1\ndst = 0\npost = '50 us'", "src = 2\ndst = 0", "src = 0\ndst = 3\nconnection = 7",
                "src = 0\ndst = 3\nconnection = 7\nafter_received = [0]",
                "src = 0\ndst = 3\nconnection = 7\nafter_received = [1]", "src = 0\ndst = 3\nconnection = 8"});
  ASSERT_EQ(world.traffic.qps.size(), 4u) << "two of 0, one each of 1 and 2";
  const std::vector<MessageOutcome> done = run(world);  // 0's by connection, then those of 1 and 2
  EXPECT_EQ(done[0].start_ps, 0);
  EXPECT_EQ(done[1].posted_ps, done[4].received_ps);
  EXPECT_EQ(done[1].start_ps, done[1].posted_ps + 2120) << "behind the ACK of what it waited for";
  EXPECT_EQ(done[2].posted_ps, done[5].received_ps);
  EXPECT_LT(done[2].posted_ps, done[1].posted_ps - 40'000'000);
  EXPECT_GT(done[2].start_ps, done[1].posted_ps) << "behind the one before it";
  EXPECT_LT(done[3].start_ps, 10'000'000) << "another connection";
}

TEST(WaitingMessages, WhatCannotBeIsRefused) {
  const auto refused = [](const std::vector<std::string>& messages, const std::string& why) {
    const std::string message = test::message_of<ConfigError>([&] { world_of(messages); });
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  const std::string first = "src = 0\ndst = 1", second = "src = 0\ndst = 2\n";
  refused({first, second + "after_sent = [2]"}, "message[1]: waits for message 2, and there are messages 0 to 1");
  refused({first, second + "after_sent = [0, 0]"}, "waits for message 0 twice");
  refused({first, second + "after_received = [0]"}, "a message can wait for what its own src sends");
  refused({first, "src = 1\ndst = 2\nafter_sent = [0]"},
          "gpu1 sends it, but waits for a message from gpu0 to gpu1 to be "
          "acknowledged, and only gpu0 knows when that is");
  refused({first, second + "after_sent = [0]\nafter_count = 2"}, "2 messages are to be waited for");
  refused({first, second + "after_count = 1"}, "1 messages are to be waited for");
  refused({first, second + "after_sent = [1]"}, "message[1]: would never be posted");
  refused({first, second + "after_sent = [2]", second + "after_sent = [1]"}, "would never be posted");
  const std::string standing = "src = 0\ndst = 2\nconnection = 1\n";
  refused({standing + "after_sent = [1]", standing}, "message[0]: would never be posted");
}

/// A circle that another message opens is allowed.
TEST(WaitingMessages, OneOfTwoMayBeItself) {
  const World world = world_of({"src = 0\ndst = 1", "src = 0\ndst = 2\nafter_sent = [0, 2]\nafter_count = 1",
                                "src = 0\ndst = 3\nafter_sent = [1]"});
  EXPECT_EQ(run(world).size(), 3u);
}

/// Two racks of two hosts; the files are beside each other.
class MatrixOfHtsim : public testing::Test {
 protected:
  World built(const std::string& matrix, const std::string& more = "") {
    warnings_.clear();
    write("leaves.topo",
          "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\n"
          "Downlink_Latency_ns 1000\nOversubscribed 1\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\n"
          "Downlink_Latency_ns 1000\n");
    write("flows.cm", matrix);
    return build_world(load_config_text("[topology]\nkind = 'htsim'\nfile = 'leaves.topo'\n[workload]\nflow_format = "
                                        "'htsim'\nflow_file = 'flows.cm'\njitter_packets = 0\n" +
                                            more,
                                        (scratch_.path() / "run.toml").string()),
                       {}, &warnings_);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(scratch_.path() / name) << text; }

  const test::ScratchFolder scratch_;
  std::vector<std::string> warnings_;
};

/// htsim's generator of ring all-reduces: node 1 continues when node 0 has sent its flow to node 1.
TEST_F(MatrixOfHtsim, AFlowThatIsSentElsewhereBeginsTheNextWhenItIsReceived) {
  const World world = built(
      "Nodes 4\nConnections 3\nTriggers 2\n0->1 id 1 start 0 size 1000000 send_done_trigger 1\n"
      "1->2 id 2 trigger 1 size 1000000 send_done_trigger 2\n2->3 id 3 trigger 2 size 1000000\n"
      "trigger id 1 oneshot\ntrigger id 2 oneshot\n");
  const std::vector<MessageOutcome> done = run(world);
  for (const u32 m : {1u, 2u}) EXPECT_EQ(done[m].posted_ps, done[m - 1].received_ps);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(
      warnings_[0].find("flows.cm:5: 2 of 3 flows begin by a send_done_trigger of a flow that another node sends, "
                        "the first one from node 1 when 0->1 (line 4) is done. In htsim it begins when the last "
                        "ACK is at node 0"),
      std::string::npos)
      << warnings_[0];
}

TEST_F(MatrixOfHtsim, ATriggerOnAThirdNodeIsRefused) {
  const std::string why = test::message_of<ConfigError>([&] {
    built(
        "Nodes 4\nConnections 2\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n2->3 trigger 1 size 1\n"
        "trigger id 1 oneshot\n");
  });
  EXPECT_NE(why.find("a message can wait for what its own src sends"), std::string::npos) << why;
}

TEST_F(MatrixOfHtsim, StartTimesAreOfTheUnitThatIsSaid) {
  const std::string matrix = "Nodes 4\nConnections 2\n1->0 id 1 start 0 size 2000000\n2->0 id 2 start 40 size 250000\n";
  EXPECT_EQ(run(built(matrix))[1].start_ps, 40);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(
      warnings_[0].find("flows.cm:4: the latest start of a flow is 40 ps, so all flows that wait for none begin at "
                        "once. uet-htsim's programs take start for microseconds"),
      std::string::npos)
      << warnings_[0];
  EXPECT_EQ(run(built(matrix, "start_unit = 'us'\n"))[1].start_ps, 40'000'000);
  EXPECT_TRUE(warnings_.empty());
  built("Nodes 4\nConnections 1\n1->0 start 0 size 1\n");
  EXPECT_TRUE(warnings_.empty()) << "0 is 0 in any unit";
  built("Nodes 4\nConnections 1\n1->0 start 1000 size 1\n");
  EXPECT_TRUE(warnings_.empty());
}

/// kNever stands for "not yet" only in messages that wait.
TEST(WaitingMessages, OneThatIsPostedAtTheEndOfTimeDoesNotWait) {
  World world = world_of({"src = 0\ndst = 1", "src = 2\ndst = 3"}, "[roce]\nposting_delay = '0 us'\n");
  world.traffic.messages[1].post_ps = kNever;
  Engine engine(world, EngineOptions{});
  while (engine.advance(kNever)) {
  }
  const std::vector<MessageOutcome> done = engine.outcome().messages;
  EXPECT_GT(done[0].acked_ps, 0);
  EXPECT_EQ(done[1].start_ps, -1);
}

/// A connection matrix may have fewer nodes than the fabric, not more.
TEST(WaitingMessages, AMatrixOfMoreNodesThanTheFabricHasIsRefused) {
  const test::ScratchFolder scratch;
  const std::string matrix = (scratch.path() / "few.cm").string();
  std::ofstream(matrix) << "Connections 1\nNodes 9\n0->1 start 0 size 1\n";
  const std::string why =
      test::message_of<ConfigError>([&] { world_of({}, "flow_format = 'htsim'\nflow_file = '" + matrix + "'\n"); });
  EXPECT_NE(why.find("few.cm:2:1: it is for 9 nodes, and the fabric has 8 endpoints"), std::string::npos) << why;
}

/// Original inputs of htsim, from beside the project's folder where there are any.
TEST(WaitingMessages, RealConnectionMatricesRun) {
  const std::string data = std::filesystem::absolute("../shared/data/htsim").string();
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no inputs of other projects are at hand";
  const auto outcome_of = [&](const std::string& topology, const std::string& workload) {
    const std::string toml = "[topology]\n" + topology + "[workload]\nflow_format = 'htsim'\nflow_file = '" + data +
                             "/" + workload + "[simulation]\nhorizon = '100 us'\n";
    Engine engine(build_world(toml, "test.toml"), EngineOptions{});
    while (engine.advance(kNever)) {
    }
    return engine.outcome();
  };
  const Outcome all = outcome_of("kind = 'star'\nhosts = 16\n", "a2a.cm'\nfirst_flows = 240\n");
  EXPECT_EQ(all.reason, EndReason::horizon) << all.explanation;
  u32 posted = 0;
  for (const MessageOutcome& message : all.messages) posted += message.posted_ps >= 0;
  EXPECT_GE(posted, 16u) << "the second flow of every host";
  for (const char* fabric : {"leaf_spine_tiny", "fat_tree_128_1os"}) {
    const Outcome some =
        outcome_of("kind = 'htsim'\nfile = '" + data + "/" + fabric + ".topo'\n", "perm_32n_32c_2MB.cm'\n");
    EXPECT_EQ(some.reason, EndReason::horizon) << some.explanation;
    EXPECT_GT(some.totals.packet_hops, 0u);
  }
}

}  // namespace
}  // namespace heddle
