// Connection matrices of htsim: what is read, and the message for everything that cannot be.
#include "io/formats/htsim.hpp"

#include <gtest/gtest.h>

#include "tests/io/formats/foreign_input.hpp"

namespace heddle::test {
namespace {

PlainMatrix matrix(const std::string& text) { return read_htsim_matrix(file_of(text)); }
std::string matrix_error(const std::string& text, u32 first_flows = 0) {
  return error_of(text, [&](const std::string& path) { read_htsim_matrix(path, first_flows); });
}

const std::string kChain =
    "Nodes 4\nConnections 3\nTriggers 2\n1->2 id 1 start 7 size 2000 send_done_trigger 1\n"
    "1->3 id 2 trigger 1 size 3000 recv_done_trigger 2\n# the last one\n3->0 id 3 trigger 2 size 1\n";

TEST(HtsimMatrix, ReadsFlowsAndWhatTheyWaitFor) {
  const PlainMatrix read = matrix(kChain + "trigger id 1 oneshot\ntrigger id 2 barrier count 1\n");
  EXPECT_EQ(read.nodes, 4u);
  ASSERT_EQ(read.flows.size(), 3u);
  EXPECT_EQ(read.flows[0].src, 1u);
  EXPECT_EQ(read.flows[0].dst, 2u);
  EXPECT_EQ(read.flows[0].start_ps, 7);
  EXPECT_EQ(read.flows[1].bytes, 3000u);
  EXPECT_EQ(read.flows[2].line, 7u);
  EXPECT_EQ(read.waits[0].count, 0u);
  EXPECT_EQ(read.waits[1].sent, std::vector<u32>{0});
  EXPECT_EQ(read.waits[1].count, 1u);
  EXPECT_EQ(read.waits[2].received, std::vector<u32>{1});
  EXPECT_TRUE(read.waits[2].sent.empty());
}

TEST(HtsimMatrix, IsReadAsHtsimReadsIt) {
  const PlainMatrix read = matrix("Triggers 0\nConnections 2\nNodes 4\n0->1 start 0.0 size 1\n0->1 start 1e6 size 1\n");
  EXPECT_EQ(read.nodes, 4u);
  EXPECT_EQ(read.flows[0].start_ps, 0);
  EXPECT_EQ(read.flows[1].start_ps, 1'000'000);
}

/// uet-htsim's programs take it for microseconds, and cut it to whole ones.
TEST(HtsimMatrix, StartTimesMayBeMicroseconds) {
  const std::string head = "Nodes 4\nConnections 1\n";
  const auto start_ps = [&](const std::string& start) {
    const std::string path = file_of(head + "0->1 start " + start + " size 1\n");
    return read_htsim_matrix(path, 0, StartUnit::us).flows[0].start_ps;
  };
  EXPECT_EQ(start_ps("40"), 40'000'000);
  EXPECT_EQ(start_ps("2.0"), 2'000'000);
  const auto refused = [&](const std::string& start, const std::string& why) {
    expect_contains(message_of<InputError>([&] { start_ps(start); }), why);
  };
  refused("0.5", ":3:12: start (us) is '0.5', finer than a microsecond, and uet-htsim cuts it to whole ones");
  refused("1e13", ":3:12: start (us) is '1e13', later than the longest run");
  refused("40us", ":3:12: start (us) is '40us', not a number");
}

/// Three flows fire trigger 9, three begin by it.
TEST(HtsimMatrix, KindsOfTriggersDifferInWhenTheyBeginAFlow) {
  const std::string flows =
      "Nodes 4\nConnections 6\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 9\n0->2 start 0 size 1 "
      "send_done_trigger 9\n0->3 start 0 size 1 send_done_trigger 9\n0->1 trigger 9 size 1\n0->2 trigger 9 size 1\n"
      "0->3 trigger 9 size 1\ntrigger id 9 ";
  const auto counts = [&](const std::string& kind) {
    const PlainMatrix read = matrix(flows + kind + "\n");
    EXPECT_EQ(read.waits[4].sent, (std::vector<u32>{0, 1, 2}));
    return std::vector<u32>{read.waits[3].count, read.waits[4].count, read.waits[5].count};
  };
  EXPECT_EQ(counts("oneshot"), (std::vector<u32>{1, 1, 1}));
  EXPECT_EQ(counts("multishot"), (std::vector<u32>{1, 2, 3}));
  EXPECT_EQ(counts("barrier count 3"), (std::vector<u32>{3, 3, 3}));
  EXPECT_EQ(counts("count 2 barrier"), (std::vector<u32>{2, 2, 2})) << "words come in any order";
  expect_contains(matrix_error(flows + "barrier count 4\n"),
                  ":7:14: the flow begins when trigger 9 has been fired 4 times, but 3 flows fire it");
}

/// Every flow that waits has a list of all that fire its trigger, so that a small file could ask for very many.
TEST(HtsimMatrix, TooManyWaitsAreRefused) {
  std::string text = "Nodes 4\nConnections 12000\nTriggers 1\n";
  for (u32 i = 0; i < 6000; ++i) text += "0->1 start 0 size 1 send_done_trigger 1\n";
  for (u32 i = 0; i < 6000; ++i) text += "0->2 trigger 1 size 1\n";
  expect_contains(matrix_error(text + "trigger id 1 oneshot\n"),
                  ":6004:14: trigger 1, which 6000 flows fire, begins 6000; that is 36000000 waits in all");
}

TEST(HtsimMatrix, TheFirstFlowsCanBeKept) {
  const std::string path = file_of("Nodes 4\nConnections 3600\nTriggers 3360\n" + kChain.substr(kChain.find("1->2")));
  const PlainMatrix two = read_htsim_matrix(path, 2);
  EXPECT_EQ(two.flows.size(), 2u);
  EXPECT_EQ(two.waits[1].sent, std::vector<u32>{0}) << "one fires it, it begins one: no line is needed";
  EXPECT_EQ(read_htsim_matrix(path, 3).flows.size(), 3u);
  expect_contains(message_of<InputError>([&] { read_htsim_matrix(path, 4); }),
                  "first_flows asks for 4 flows, but the file has 3");
  expect_contains(message_of<InputError>([&] { read_htsim_matrix(path); }),
                  "the file declares 3600 flows, but the file has 3; set workload.first_flows = 3 to run these");
}

TEST(HtsimMatrix, SaysWhatIsWrongAndWhere) {
  expect_contains(matrix_error(""), ":1:1: a connection matrix of htsim has 'Nodes N' above its flows");
  expect_contains(matrix_error("Tiers 2\n"), ":1:1: 'Tiers' is not supported");
  expect_contains(matrix_error("Nodes 1\n"), ":1:7:");
  expect_contains(matrix_error("Nodes 4\n0->1 start 0 size 1\n"),
                  ":2:1: a connection matrix of htsim has 'Connections N'");
  expect_contains(matrix_error("Nodes 4\nNodes 4\n"), ":2:1: 'Nodes N' is given twice");
  expect_contains(matrix_error("Connections 1\nNodes 4\n0->1 start 0 size 1\nTriggers 0\n"),
                  ":4:1: 'Triggers N' stands behind flows");
  const std::string head = "Nodes 4\nConnections 1\n";
  expect_contains(matrix_error(head + "0->4 start 0 size 1\n"), ":3:4: dst is 4, outside the range 0 to 3");
  expect_contains(matrix_error(head + "x->1 start 0 size 1\n"), ":3:1: src");
  expect_contains(matrix_error(head + "1->1 start 0 size 1\n"), "flow from node 1 to itself");
  expect_contains(matrix_error(head + "0->1 start 0\n"), ":3:1: the flow has no size, so it would never end");
  expect_contains(matrix_error(head + "0->1 start 0 size 0\n"),
                  ":3:19: size is 0, which htsim takes for a flow without");
  expect_contains(matrix_error(head + "0->1 start 0.5 size 1\n"),
                  ":3:12: start (ps) is '0.5', finer than a picosecond");
  expect_contains(matrix_error(head + "0->1 start 1us size 1\n"), ":3:12: start (ps) is '1us', not a number");
  expect_contains(matrix_error(head + "0->1 start 1e19 size 1\n"), ":3:12: start (ps) is '1e19', later than");
  expect_contains(matrix_error(head + "0->1 size 1\n"), "neither a start time nor a trigger");
  expect_contains(matrix_error(head + "0->1 start 0 size\n"), ":3:14: no value follows 'size'");
  expect_contains(matrix_error(head + "0->1 start 0 start 1 size 1\n"), ":3:14: 'start' is given twice");
  expect_contains(matrix_error(head + "0->1 start 0 size 1 prio 2\n"),
                  ":3:21: 'prio' is not supported (NDP's order in");
  expect_contains(matrix_error(head + "0->1 start 0 size 1 msg 2\n"),
                  ":3:21: 'msg' is not supported (uet-htsim's messages of one connection");
  expect_contains(matrix_error(head + "0->1 start 0 trigger 1 size 1\n"), "a start time and a trigger");
  expect_contains(matrix_error(head + "0->1 trigger 1 size 1\n"),
                  ":3:14: the flow begins when trigger 1 has been fired 1 times, but 0 flows fire it");
  expect_contains(matrix_error(head + "0->1 id 0 start 0 size 1\n"), ":3:9: id is 0");
  expect_contains(matrix_error("Nodes 4\nConnections 2\n0->1 id 7 start 0 size 1\n0->2 id 7 start 0 size 1\n"),
                  ":4:9: another flow has id 7, too");
  expect_contains(matrix_error(head + "0->1 start 0 size 1 send_done_trigger 0\n"), ":3:39: send_done_trigger is 0");
  expect_contains(matrix_error(head + "0->1 size 1 trigger 0\n"), ":3:21: trigger is 0");
  expect_contains(matrix_error(head + "failure switch_type 1\n"), ":3:1: 'failure' is not supported");
  expect_contains(matrix_error(head), ":2:1: the file declares 1 flows, but the file has 0");
  const std::string flow = head + "0->1 start 0 size 1\n";
  expect_contains(matrix_error(flow + "0->1 start 0 size 1\n"), "declares 1 flows, but the file has 2");
  expect_contains(matrix_error(flow + "trigger id 1 oneshot\n"), "declares 0 triggers, but describes 1");
  expect_contains(matrix_error(flow + "trigger id 1 twoshot\n"), ":4:14: 'twoshot' is no kind of trigger");
  expect_contains(matrix_error(flow + "trigger id 1 oneshot\ntrigger id 1 oneshot\n"),
                  ":5:12: trigger 1 is described twice");
  expect_contains(matrix_error(flow + "trigger 1 oneshot\n"), ":4:11: 'oneshot' is one word too many; a line is");
  expect_contains(matrix_error(flow + "trigger oneshot\n"), ":4:1: the trigger has no id, as in 'trigger id T");
  expect_contains(matrix_error(flow + "trigger id 1\n"), ":4:1: the trigger has no kind, as in 'trigger id T");
  expect_contains(matrix_error(flow + "trigger oneshot id\n"), ":4:17: no value follows 'id'");
  expect_contains(matrix_error(flow + "trigger id 0 oneshot\n"), ":4:12: trigger id is 0");
  expect_contains(matrix_error(flow + "trigger id 1 barrier 3\n"), ":4:22: '3' is one word too many");
  expect_contains(matrix_error(flow + "trigger id 1 barrier\n"), ":4:14: how often must the barrier be fired?");
  expect_contains(matrix_error(flow + "trigger id 1 barrier count 0\n"), ":4:28: count is 0");
  expect_contains(matrix_error(flow + "trigger id 1 oneshot count 2\n"), ":4:28: only a barrier has a count");
}

PlainTopology topology(const std::string& text) { return read_htsim_topology(file_of(text)); }
std::string topology_error(const std::string& text) {
  return error_of(text, [](const std::string& path) { read_htsim_topology(path); });
}

const std::string kTwoTiers =
    "# 8 hosts below 4 switches\nNodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\n"
    "Radix_Up 4\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed 1\n";
const std::string kSpines = "Tier 1\nDownlink_speed_Gbps 50\nRadix_Down 8\nDownlink_Latency_ns 500\nBundle 2\n";

TEST(HtsimTopology, ReadsLeavesAndSpines) {
  const PlainTopology read = topology(kTwoTiers + kSpines);
  EXPECT_EQ(read.nodes, 8u + 4 + 2);
  EXPECT_EQ(read.switches, (std::vector<u32>{8, 9, 10, 11, 12, 13}));
  ASSERT_EQ(read.links.size(), 8u + 4 * 4);
  EXPECT_EQ(read.links[7].a, 7u);
  EXPECT_EQ(read.links[7].b, 11u);
  EXPECT_EQ(read.links[7].bits_per_s, 100'000'000'000u);
  EXPECT_EQ(read.links[7].latency_ps, 1'000'000);
  EXPECT_EQ(read.links[9].a, 8u);
  EXPECT_EQ(read.links[9].b, 12u) << "two links to each spine";
  EXPECT_EQ(read.links[10].b, 13u);
  EXPECT_EQ(read.links[10].bits_per_s, 50'000'000'000u);
}

/// Every core has a switch of one place in each pod.
TEST(HtsimTopology, ReadsThreeTiers) {
  const std::string tier = "Downlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1000\n";
  const PlainTopology read = topology("Nodes 12\nTiers 3\nPodsize 4\nTier 0\n" + tier + "Tier 1\n" + tier +
                                      "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 3\nDownlink_Latency_ns 1000\n");
  EXPECT_EQ(read.nodes, 12u + 6 + 6 + 4);
  ASSERT_EQ(read.links.size(), 12u + 12 + 12);
  for (u32 core = 24; core < 28; ++core) {
    std::vector<u32> below;
    for (const PlainLink& link : read.links) {
      if (link.b == core) below.push_back(link.a - 18);
    }
    const u32 place = core % 2;
    EXPECT_EQ(below, (std::vector<u32>{place, 2 + place, 4 + place})) << core;
  }
}

TEST(HtsimTopology, SaysWhatIsWrongAndWhere) {
  expect_contains(topology_error(""), ":1:1: the file does not say 'Nodes N'");
  expect_contains(topology_error("Nodes 8\nTiers 4\nPodsize 8\n"), ":2:7: there are fat trees of 2 and 3 tiers");
  expect_contains(topology_error(kTwoTiers), ":3:7: 2 tiers are declared, but 1 described");
  expect_contains(topology_error("Nodes 8\nNodes 8\n"), ":2:1: Nodes is given twice");
  expect_contains(topology_error("Nodes x\n"), ":1:7: Nodes");
  expect_contains(topology_error("Nodes 8 9\n"), ":1:");
  expect_contains(topology_error("Nods 8\n"), ":1:1: 'Nods' is unknown before the first tier");
  expect_contains(topology_error("Tier 1\n"), ":1:6: tier 0 should follow here");
  expect_contains(topology_error(kTwoTiers + "Queue_Down 5\n"), ":12:1: sizes of queues are not read from here");
  expect_contains(topology_error(kTwoTiers + "Radix 5\n"), ":12:1: 'Radix' is unknown in a tier");
  expect_contains(topology_error(kTwoTiers + "Radix_Up 5\n"), ":12:1: Radix_Up is given twice for this tier");
  expect_contains(topology_error(kTwoTiers + kSpines + "Radix_Up 5\n"), "the last tier has no links upwards");
  expect_contains(topology_error(kTwoTiers + kSpines + "Switch_Latency_ns 5\n"), "take no time of their own");
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  expect_contains(topology_error(changed(kTwoTiers, "Podsize 8", "Podsize 4") + kSpines), ":4:9: 8 nodes are not one");
  expect_contains(topology_error(changed(kTwoTiers, "subscribed 1", "subscribed 2") + kSpines),
                  "oversubscribed 2 times, but has 200 Gb/s down and 200 Gb/s up");
  expect_contains(topology_error(changed(changed(kTwoTiers, "Radix_Up 4", "Radix_Up 2"), "Oversubscribed 1\n", "") +
                                 changed(kSpines, "Bundle 2\n", "")),
                  ":5:1: tier 0: it has 200 Gb/s down and 100 Gb/s up, but no Oversubscribed, which is 1 in htsim");
  expect_contains(topology_error(kTwoTiers + changed(kSpines, "Bundle 2", "Bundle 1")),
                  "its radixes make bundles of 2 links to each switch below, but Bundle is 1");
  expect_contains(topology_error(kTwoTiers + changed(kSpines, "Radix_Down 8", "Radix_Down 7")),
                  "which cannot take 4 links");
  expect_contains(topology_error(changed(kTwoTiers, "Radix_Down 2", "Radix_Down 3") + kSpines), "");
  expect_contains(topology_error(kTwoTiers + changed(kSpines, "Downlink_Latency_ns 500\n", "")),
                  "tier 1 has no Downlink_Latency_ns");
}

}  // namespace
}  // namespace heddle::test
