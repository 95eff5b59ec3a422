// SimAI's topologies: what is read, and the message for everything that cannot be.
#include "io/formats/simai_topology.hpp"

#include <gtest/gtest.h>

#include "tests/io/formats/foreign_input.hpp"

namespace heddle::test {
namespace {

/// GPUs 0 to 3 in servers of 2 with NVSwitches 4 and 5, switch 6.
const std::string kServers =
    "0 4 2400Gbps 25ns 0\n1 4 2400Gbps 25ns 0\n2 5 2400Gbps 25ns 0\n3 5 2400Gbps 25ns 0\n0 6 200Gbps 0.5us 0\n"
    "1 6 200Gbps 0.5us 0\n2 6 200Gbps 0.5us 0\n";
const std::string kLast = "3 6 200Gbps 0.5us 0\n";

std::string topology_error(const std::string& text) {
  return error_of(text, [](const std::string& path) { read_simai_topology(path); });
}

TEST(SimaiTopology, NVSwitchesAreTheServersNVLink) {
  for (const char* ids : {"4 5 6\n", "4 5\n6\n"}) {
    const PlainServers read = read_simai_topology(file_of("7 2 2 1 8 A100\n" + std::string(ids) + kServers + kLast));
    EXPECT_EQ(read.gpus_per_server, 2u);
    EXPECT_EQ(read.nvlink_bits_per_s, 2'400'000'000'000u);
    EXPECT_EQ(read.network.nodes, 7u);
    EXPECT_EQ(read.network.switches, std::vector<u32>{6});
    EXPECT_EQ(read.network.left_out, (std::vector<bool>{false, false, false, false, true, true, false}));
    ASSERT_EQ(read.network.links.size(), 4u) << "NVLink is none of the network";
    EXPECT_EQ(read.network.links[3].a, 3u);
    EXPECT_EQ(read.network.links[3].b, 6u);
    EXPECT_EQ(read.network.links[3].bits_per_s, 200'000'000'000u);
    EXPECT_EQ(read.network.links[3].latency_ps, 500'000);
  }
}

/// A GPU with several NVSwitches has the sum of their links.
TEST(SimaiTopology, LinksToSeveralNVSwitchesAreOneNVLink) {
  const PlainServers read = read_simai_topology(
      file_of("5 2 2 1 6 H100\n2 3 4\n0 2 1800Gbps 25ns 0\n0 3 1800Gbps 25ns 0\n1 2 1800Gbps 25ns 0\n"
              "1 3 1800Gbps 25ns 0\n0 4 400Gbps 1us 0\n1 4 400Gbps 1us 0\n"));
  EXPECT_EQ(read.nvlink_bits_per_s, 3'600'000'000'000u);
}

TEST(SimaiTopology, WithoutNVSwitchesEveryGpuIsAlone) {
  const PlainServers read = read_simai_topology(file_of("3 2 0 1 2 None\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"));
  EXPECT_EQ(read.gpus_per_server, 1u);
  EXPECT_EQ(read.nvlink_bits_per_s, 0u);
  EXPECT_EQ(read.network.links.size(), 2u);
}

/// With which people begin, to compare a tensor-parallel group with nccl-tests.
TEST(SimaiTopology, OneServerMayBeAlone) {
  const PlainServers read =
      read_simai_topology(file_of("3 2 1 0 2 A800\n2\n0 2 1481Gbps 25ns 0\n1 2 1481Gbps 25ns 0\n"));
  EXPECT_TRUE(read.alone);
  EXPECT_EQ(read.gpus_per_server, 2u);
  EXPECT_EQ(read.network.nodes, 4u);
  EXPECT_EQ(read.network.switches, std::vector<u32>{3}) << "one that is not in the file";
  EXPECT_EQ(read.network.links.size(), 2u);
  EXPECT_FALSE(read_simai_topology(file_of("7 2 2 1 8 A100\n4 5 6\n" + kServers + kLast)).alone);
  expect_contains(topology_error("6 2 2 0 4 A800\n4 5\n0 4 9Gbps 1us 0\n1 4 9Gbps 1us 0\n2 5 9Gbps 1us 0\n"
                                 "3 5 9Gbps 1us 0\n"),
                  "GPU 0 has no link into the network; every GPU has a NIC here, but where the file is one server");
}

TEST(SimaiTopology, SaysWhatIsWrongAndWhere) {
  expect_contains(topology_error(""), ":1:1: the file ends where the first line");
  expect_contains(topology_error("7 2 2 1 8\n"), "nodes gpus_per_server nvswitches switches links gpu_type");
  expect_contains(topology_error("7 2 x 1 8 A100\n"), ":1:5: number of NVSwitches");
  expect_contains(topology_error("7 2 2 6 8 A100\n"), ":1:7: number of switches is 6, outside the range 0 to 5");
  const std::string head = "7 2 2 1 8 A100\n4 5 6\n";
  expect_contains(topology_error("7 2 2 1 8 A100\n4 5 6 3\n"), ":2:7: more ids than the 2 NVSwitches and 1 switches");
  expect_contains(topology_error("7 2 2 1 8 A100\n4 5 5\n"), ":2:5: switch id 5 appears twice");
  expect_contains(topology_error("7 3 2 1 8 A100\n4 5 6\n"), ":1:3: 4 GPUs are not whole servers of 3");
  expect_contains(topology_error(head + kServers), ":10:1: the file ends where link 8 of the 8");
  expect_contains(topology_error(head + kServers + kLast + kLast), ":11:1: more follows behind the 8 links");
  expect_contains(topology_error(head + kServers + "0 3 200Gbps 1us 0\n"), ":10:1: GPUs 0 and 3 are joined by a link");
  expect_contains(topology_error(head + kServers + "2 6 200Gbps 1us 0\n"),
                  ":10:1: a second link between nodes 2 and 6");
  expect_contains(topology_error(head + kServers + "4 6 200Gbps 1us 0\n"), ":10:1: nodes 4 and 6 are joined");
  expect_contains(topology_error(head + kServers + "3 4 200Gbps 1us 0\n"),
                  ":10:1: NVSwitch 4 joins GPUs of servers 0 and 1");
  expect_contains(topology_error("4 2 1 1 3 A100\n2 3\n0 2 9Gbps 1us 0\n1 2 9Gbps 1us 0\n0 3 9Gbps 1us 0\n"),
                  "GPU 1 has no link into the network");
  expect_contains(topology_error(head + kServers + "3 6 200Gbps 1us x\n"), ":10:17: error rate is 'x'");
  expect_contains(
      topology_error("4 2 1 1 4 A100\n2 3\n0 2 9Gbps 1us 0.1\n1 2 9Gbps 1us 0\n0 3 9Gbps 1us 0\n1 3 9Gbps 1us 0\n"),
      ":3:15: NVLink loses nothing");
  expect_contains(
      topology_error("4 2 1 1 4 A100\n2 3\n0 2 9Gbps 1us 0\n1 2 8Gbps 1us 0\n0 3 9Gbps 1us 0\n1 3 9Gbps 1us 0\n"),
      "GPU 1 has 8000000000 bit/s to its NVSwitches, but others have 9000000000");
  expect_contains(topology_error("4 2 1 1 3 A100\n2 3\n0 2 9Gbps 1us 0\n0 3 9Gbps 1us 0\n1 3 9Gbps 1us 0\n"),
                  "GPU 1 has no link to an NVSwitch, but others have");
  expect_contains(topology_error("7 2 2 1 9 A100\n4 5 6\n" + kServers + kLast + "0 4 2400Gbps 25ns 0\n"),
                  ":11:1: a second link between nodes 0 and 4, after that of line 3");
  expect_contains(topology_error("5 2 2 1 4 A100\n2 3 4\n0 2 9Gbps 1us 0\n1 3 9Gbps 1us 0\n0 4 9Gbps 1us 0\n"
                                 "1 4 9Gbps 1us 0\n"),
                  ":3:1: NVSwitch 2 joins 1 GPUs of a server of 2, so others have no path through it");
  expect_contains(topology_error("5 1 0 3 2 A100\n2 3 4\n0 2 9Gbps 1us 0\n1 3 9Gbps 1us 0\n"),
                  "no path of links joins node 1 and node 0");
}

}  // namespace
}  // namespace heddle::test
