// Foreign inputs: what is read, and the message for everything that cannot be.
#include <gtest/gtest.h>

#include "io/formats/hpcc.hpp"
#include "io/formats/paths.hpp"
#include "io/formats/size_cdf.hpp"
#include "io/formats/text.hpp"
#include "tests/io/formats/foreign_input.hpp"

namespace heddle::test {
namespace {

std::string topology_error(const std::string& text) {
  return error_of(text, [](const std::string& path) { read_hpcc_topology(path); });
}
std::string flow_error(const std::string& text) {
  return error_of(text, [](const std::string& path) { read_hpcc_flows(path, 4); });
}
std::string paths_error(const std::string& text) {
  return error_of(text, [](const std::string& path) { read_paths_csv(path); });
}
std::string cdf_error(const std::string& text) {
  return error_of(text, [](const std::string& path) { read_size_cdf(path); });
}

TEST(HpccTopology, Reads) {
  std::vector<std::string> warnings;
  const PlainTopology t = read_hpcc_topology(file_of("4 1 3\r\n2\r\n0 2 25Gbps 1000ns 0\r\n1 2 100Gbps 0.001ms "
                                                     "0.5\r\n\r\n3 2 2.5Gbps 1us 0\r\n\r\nnodes switches links\r\n"),
                                             {}, &warnings);
  EXPECT_EQ(t.nodes, 4u);
  EXPECT_EQ(t.switches, std::vector<u32>{2});
  ASSERT_EQ(t.links.size(), 3u);
  EXPECT_EQ(t.links[0].bits_per_s, 25'000'000'000u);
  EXPECT_EQ(t.links[0].latency_ps, 1'000'000);
  EXPECT_EQ(t.links[1].latency_ps, 1'000'000);
  EXPECT_EQ(t.links[1].error_rate, 0.5);
  EXPECT_EQ(t.links[2].bits_per_s, 2'500'000'000u);
  EXPECT_EQ(t.links[2].line, 6u);
  ASSERT_EQ(warnings.size(), 1u);
  expect_contains(warnings[0], ":8:1: 1 lines of text after the data");
}

/// As ns-3 reads them; TCP-like units and numbers without one are common in topologies made by hand.
TEST(HpccTopology, ReadsUnitsAsNs3Does) {
  const auto link = [](const std::string& rate_and_delay) {
    return read_hpcc_topology(file_of("2 1 1\n1\n0 1 " + rate_and_delay + " 0\n")).links[0];
  };
  for (const char* rate :
       {"25Gbps", "25Gb/s", "25000Mb/s", "25000000000", "25e9", "3.125GBps", "3.125GB/s", "25e6kb/s"})
    EXPECT_EQ(link(std::string(rate) + " 1us").bits_per_s, 25'000'000'000u) << rate;
  for (const char* delay : {"1us", "1000ns", "0.000001", "1e-6", "0.000001s"})
    EXPECT_EQ(link(std::string("25Gbps ") + delay).latency_ps, 1'000'000) << delay;
  expect_contains(topology_error("2 1 1\n1\n0 1 25 1us 0\n"),
                  ":3:5: rate is '25' without a unit, which ns-3 takes for bit/s and was hardly meant; write it like");
  expect_contains(topology_error("2 1 1\n1\n0 1 25Gbps 1000 0\n"),
                  ":3:12: delay is '1000' without a unit, which ns-3 takes for seconds and was hardly meant");
}

/// Nothing there follows from the number of ToRs.
TEST(HpccTopology, ReadsTheFirstLineOfNs3Datacenter) {
  const PlainTopology read = read_hpcc_topology(file_of("3 1 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n"));
  EXPECT_EQ(read.nodes, 3u);
  EXPECT_EQ(read.switches, std::vector<u32>{2});
  EXPECT_EQ(read.links.size(), 2u);
}

TEST(HpccTopology, NamesTheDialectsThatItDoesNotRead) {
  expect_contains(topology_error("4 8 1 1 2 100\n"),
                  ":1:7: 6 values where 3 are expected: nodes switches links, as in HPCC and conweave-ns3. Read are "
                  "also 4, 'nodes switches tors links' of ns3-datacenter, and with topology.kind = \"simai\" 6");
  expect_contains(topology_error("2\n0 1 3 100 5 2\n"), ":1:2: 1 values where 3 are expected");
  expect_contains(topology_error("2\n0 1 3 100 5 2\n"), "begins a flow.txt, which is for workload.flow_file");
}

TEST(HpccTopology, RefusesBadNumbers) {
  expect_contains(topology_error(""), ":1:1: the file ends where the first line");
  expect_contains(topology_error("3 1\n"), ":1:4: 2 values where 3 are expected: nodes switches links");
  expect_contains(topology_error("4 8 1 1 2 H100\n"), "SimAI");
  expect_contains(topology_error("-3 1 2\n"), ":1:1: number of nodes is '-3', not a whole number");
  expect_contains(topology_error("3 1 2\n7\n"), ":2:1: switch id is 7, outside the range 0 to 2");
  expect_contains(topology_error("3 2 2\n1 1\n"), ":2:3: switch id 1 appears twice");
  expect_contains(topology_error("3 2 2\n1\n"), ":2:2: 1 values where 2 are expected");
  expect_contains(topology_error(std::string(5000, 'x') + " 1 2\n"),
                  "is '" + std::string(60, 'x') + "...', not a whole");
  expect_contains(topology_error("99999999999999999999 1 2\n"), "outside the range");
}

TEST(HpccTopology, RefusesBadLinks) {
  const std::string head = "3 1 2\n2\n0 2 25Gbps 1us 0\n";
  expect_contains(topology_error(head), ":4:1: the file ends where link 2 of the 2");
  expect_contains(topology_error(head + "1 3 25Gbps 1us 0\n"), ":4:3: dst (node id) is 3, outside the range 0 to 2");
  expect_contains(topology_error(head + "1 1 25Gbps 1us 0\n"), ":4:3: link from node 1 to itself");
  expect_contains(topology_error("3 1 3\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n2 0 50Gbps 1us 0\n"),
                  ":5:1: a second link between nodes 0 and 2, after that of line 3; ns-3 sends over the last");
  expect_contains(topology_error(head + "1 2 25Gb 1us 0\n"),
                  ":4:5: rate is '25Gb', not a number with a unit; write it like '25Gbps'");
  expect_contains(topology_error(head + "1 2 0Gbps 1us 0\n"), "rate is 0");
  expect_contains(topology_error(head + "1 2 25Gbps 1m 0\n"),
                  ":4:12: delay is '1m', not a number with a unit; write it like '1000ns'");
  expect_contains(topology_error(head + "1 2 25Gbps 0.0001ns 0\n"), "not a whole number of ps");
  expect_contains(topology_error(head + "1 2 25Gbps 1us 2\n"), ":4:16: error rate is '2', not a probability");
  expect_contains(topology_error(head + "1 2 25Gbps 1us\n"),
                  "4 values where 5 are expected: src dst rate delay error_rate");
  expect_contains(topology_error(head + "0 2 25Gbps 1us 0\n"), "no path of links joins node 1 and node 0");
  expect_contains(topology_error(head + "1 2 25Gbps 1us 0\n0 1 25Gbps 1us 0\n"),
                  ":5:1: the first line declares 3 nodes and 2 links, but 1 more");
}

TEST(HpccTopology, ExtraLinesCanBeAccepted) {
  std::vector<std::string> warnings;
  const std::string path = file_of("2 1 1\n1\n0 1 25Gbps 1us 0\n0 1 25Gbps 1us 0\n");
  EXPECT_EQ(read_hpcc_topology(path, {.accept_extra_lines = true}, &warnings).links.size(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  expect_contains(warnings[0], ":4:1: 1 links beyond the 1 that the first line declares are left out");
}

TEST(HpccTopology, ExtraLinksAreAdvisedByTheNodesThatTheyName) {
  expect_contains(
      topology_error("3 1 2\n0\n0 1 25Gbps 1us 0\n0 2 25Gbps 1us 0\n0 3 25Gbps 1us 0\n4 0 25Gbps 1us 0\ntext\n"),
      ":5:1: the first line declares 3 nodes and 2 links, but 2 more links follow, between nodes up to 4 (HPCC "
      "would leave them out and say nothing): make it '5 1 4' for all of them, or set topology.first_hosts = 2");
}

TEST(HpccTopology, TheFirstHostsAreKept) {
  // hosts 0, 2, 3, 5 below switches 1 and 4; the first line declares less than there is
  const std::string path = file_of(
      "4 2 2\n1 4\n0 1 25Gbps 1us 0\n2 1 25Gbps 1us 0\n1 4 25Gbps 1us 0\n3 4 25Gbps 1us 0\n5 4 25Gbps 1us 0\ntext\n");
  const PlainTopology three = read_hpcc_topology(path, {.first_hosts = 3});
  EXPECT_EQ(three.nodes, 6u);
  EXPECT_EQ(three.left_out, (std::vector<bool>{false, false, false, false, false, true}));
  EXPECT_EQ(three.links.size(), 4u);
  EXPECT_EQ(read_hpcc_topology(path, {.first_hosts = 4}).links.size(), 5u);
  expect_contains(message_of<InputError>([&] { read_hpcc_topology(path, {.first_hosts = 5}); }),
                  ":1:1: topology.first_hosts asks for 5 hosts, but the file has 4");
}

TEST(HpccFlows, MoreThanDeclaredIsRefusedOrTheFirstAreKept) {
  const std::string text = "1\n0 1 3 100 5 2\n1 0 3 100 5 2\n0 2 3 100 5 2\n";
  expect_contains(
      flow_error(text),
      ":3:1: the first line declares 1 flows, but 2 more follow (HPCC would run the first 1 and say nothing of "
      "the others): write 3 there to run all, or set workload.first_flows = 1");
  EXPECT_EQ(read_hpcc_flows(file_of(text), 4, {.first_flows = 2}).size(), 2u);
  expect_contains(error_of(text, [](const std::string& path) { read_hpcc_flows(path, 4, {.first_flows = 4}); }),
                  ":5:1: the file ends where flow 4 of the 4 that workload.first_flows asks for was expected");
}

TEST(HpccFlows, Reads) {
  const std::vector<PlainFlow> flows =
      read_hpcc_flows(file_of("2\n0 1 3 100 5000000000 2\n1 0 3 101 1 2.000000000001\n"), 4);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].bytes, 5'000'000'000u);
  EXPECT_EQ(flows[0].start_ps, 2'000'000'000'000);
  EXPECT_EQ(flows[1].start_ps, 2'000'000'000'001);
  EXPECT_EQ(flows[1].dst_port, 101u);
  EXPECT_EQ(flows[1].line, 3u);
}

/// It gives every flow the same destination port.
TEST(HpccFlows, ReadsTheFiveColumnsOfConweave) {
  const std::vector<PlainFlow> flows = read_hpcc_flows(file_of("2\n0 1 3 5000 2\n1 0 3 1 2.5\n"), 4);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].bytes, 5000u);
  EXPECT_EQ(flows[0].dst_port, 100u);
  EXPECT_EQ(flows[1].start_ps, 2'500'000'000'000);
  expect_contains(flow_error("2\n0 1 3 5000 2\n0 1 3 100 5000 2\n"),
                  ":3:16: 6 values where 5 are expected: src dst pg size_bytes start_s");
  expect_contains(flow_error("2\n0 1 3 100 5000 2\n0 1 3 5000 2\n"), "5 values where 6 are expected: src dst pg dport");
  expect_contains(flow_error("1\n0 1 3 100 5000 2 7 8\n"),
                  ":2:18: 8 values where 6 are expected: src dst pg dport size_bytes start_s, as in HPCC, SimAI and");
}

/// Columns are counted behind it.
TEST(HpccFlows, AByteOrderMarkIsNoText) {
  EXPECT_EQ(read_hpcc_flows(file_of("\xef\xbb\xbf"
                                    "1\n0 1 3 100 5 2\n"),
                            4)
                .size(),
            1u);
  expect_contains(flow_error("\xef\xbb\xbf"
                             "x\n"),
                  ":1:1: number of flows is 'x'");
}

TEST(HpccFlows, Refuses) {
  expect_contains(flow_error("2\n0 1 3 100 5 2\n"), ":3:1: the file ends where flow 2 of the 2");
  expect_contains(flow_error("1\n0 1 3 100 5 2\n1 2 3 100 5 2\n2 1 3 100 5 2\n"),
                  ":3:1: the first line declares 1 flows, but 2 more follow");
  expect_contains(flow_error("1\n0 4 3 100 5 2\n"), ":2:3: dst (node id) is 4, outside the range 0 to 3");
  expect_contains(flow_error("1\n1 1 3 100 5 2\n"), "flow from node 1 to itself");
  expect_contains(flow_error("1\n0 1 8 100 5 2\n"), ":2:5: pg (priority group) is 8");
  expect_contains(flow_error("1\n0 1 0 100 5 2\n"),
                  ":2:5: pg (priority group) is 0, the queue of HPCC's control frames");
  expect_contains(flow_error("2\n0 1 3 100 5 2\n1 0 4 100 5 2\n"),
                  ":3:5: pg (priority group) is 4, and that of line 2 is 3: HPCC gives each of them queues");
  expect_contains(flow_error("1\n0 1 3 70000 5 2\n"), "dport (UDP port) is 70000");
  expect_contains(flow_error("1\n0 1 3 100 0 2\n"), "size (bytes) is 0");
  expect_contains(flow_error("1\n0 1 3 100 1e6 2\n"), "size (bytes) is '1e6', not a whole number");
  expect_contains(flow_error("1\n0 1 3 100 5 2s\n"), ":2:13: start time (s) is '2s', not a decimal number");
  expect_contains(flow_error("1\n0 1 3 100 5 -1\n"), "not a decimal number");
  expect_contains(flow_error("1\n0 1 3 100 5 2.0000000000001\n"), "finer than a picosecond");
  expect_contains(flow_error("1\n0 1 3 100 5 1e9\n"), "later than the longest run");
  expect_contains(flow_error("x\n"), ":1:1: number of flows is 'x'");
}

TEST(HpccFlows, MissingFile) {
  const std::string message = message_of<InputError>([] { read_hpcc_flows("none/flow.txt", 0); });
  EXPECT_EQ(message, "cannot read 'none/flow.txt': No such file or directory; check the path");
  expect_contains(message_of<InputError>([] { read_hpcc_flows(fresh_folder(), 0); }), "it is a folder");
}

TEST(Decimal, ExactToTheLastDigit) {
  const auto ps = [](const char* text) { return parse_decimal(text, 12); };
  EXPECT_EQ(ps("2").value, 2'000'000'000'000u);
  EXPECT_EQ(ps("0.1").value, 100'000'000'000u);
  // No double is 0.000001000003 s; through one, the last digit would be lost at large times.
  EXPECT_EQ(ps("9007.199254740993").value, 9'007'199'254'740'993u);
  EXPECT_EQ(ps("2.000000000001").value, 2'000'000'000'001u);
  EXPECT_EQ(ps("2.0000000000010000").value, 2'000'000'000'001u);
  EXPECT_EQ(ps("1e-06").value, 1'000'000u);
  EXPECT_EQ(ps("1.5E+3").value, 1'500'000'000'000'000u);
  EXPECT_EQ(ps(".5").value, 500'000'000'000u);
  EXPECT_EQ(ps("5.").value, 5'000'000'000'000u);
  EXPECT_EQ(ps("0e999").value, 0u);
  EXPECT_EQ(ps("18446744.073709551615").value, UINT64_MAX);
}

TEST(Decimal, Errors) {
  const auto error = [](const char* text) { return parse_decimal(text, 12).error; };
  for (const char* text :
       {"", ".", "-1", "+1", "1.2.3", "1e", "1e+", "1x", "e5", " 1", "nan", "0x10", "1e99999", "1e+-5"}) {
    EXPECT_EQ(error(text), DecimalError::malformed) << text;
  }
  EXPECT_EQ(error("0.0000000000001"), DecimalError::too_fine);
  EXPECT_EQ(error("1e-13"), DecimalError::too_fine);
  EXPECT_EQ(error("18446744.073709551616"), DecimalError::too_large);
  EXPECT_EQ(error("1e300"), DecimalError::too_large);
}

constexpr const char* kHeader = "src,dst,data_path,ack_path\n";

TEST(Paths, Reads) {
  const std::vector<PlainPath> paths =
      read_paths_csv(file_of(std::string(kHeader) + "0,9,0 128 150 9,9 150 128 0\r\n"));
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].data, (std::vector<u32>{0, 128, 150, 9}));
  EXPECT_EQ(paths[0].ack, (std::vector<u32>{9, 150, 128, 0}));
  EXPECT_EQ(paths[0].line, 2u);
}

TEST(Paths, Refuses) {
  const std::string head = kHeader;
  expect_contains(paths_error("src,dst,path\n"), ":1:1: the header is 'src,dst,path', but must be");
  expect_contains(paths_error(head + "0,9,0 5 9\n"), "3 values where 4 are expected");
  expect_contains(paths_error(head + "0,9,0 5 8,9 5 0\n"), ":2:5: data_path must lead from node 0 to node 9");
  expect_contains(paths_error(head + "0,9,0 5 9,0 5 9\n"), ":2:11: ack_path must lead from node 9 to node 0");
  expect_contains(paths_error(head + "0,9,0 5 5 9,9 5 0\n"), ":2:9: data_path visits node 5 twice");
  expect_contains(paths_error(head + "0,9,0 x 9,9 5 0\n"), ":2:7: node of data_path is 'x'");
  expect_contains(paths_error(head + "0,9,0 5 9,9 5 0\n0,9,0 5 9,9 5 0\n"),
                  ":3:1: pair 0 -> 9 is given twice, first in line 2");
  expect_contains(paths_error(head + "0,9,,9 5 0\n"), "data_path must lead");
}

TEST(SizeCdf, Reads) {
  const PlainSizeCdf cdf = read_size_cdf(file_of("0 0\n1000 50\n1000 62.5\n30000 100\n"));
  EXPECT_EQ(cdf.bytes, (std::vector<u64>{0, 1000, 1000, 30000}));
  EXPECT_EQ(cdf.probability_q32, (std::vector<u64>{0, u64{1} << 31, u64{5} << 29, u64{1} << 32}));
}

/// ns3-datacenter, conweave-ns3 and others since pFabric write fractions. Reading them as percent made 99 % of all
/// messages the largest one.
TEST(SizeCdf, EndsAtOneWhereItHasFractions) {
  const PlainSizeCdf cdf = read_size_cdf(file_of("0 0\n2000 0\n10000 0.5\n100000 1.0\n"));
  EXPECT_EQ(cdf.bytes, (std::vector<u64>{0, 2000, 10000, 100000}));
  EXPECT_EQ(cdf.probability_q32, (std::vector<u64>{0, 0, u64{1} << 31, u64{1} << 32}));
  expect_contains(cdf_error("0 0\n5 50\n7 1\n"), ":2:3: percentile is '50'; write a number from 0 to 1 with");
  expect_contains(cdf_error("0 0\n5 0.5\n7 0.99\n"),
                  ":3:3: the last percentile is 0.99, and it must be 100 (percent) or 1 (fractions)");
}

TEST(SizeCdf, RefusesOneOfEmptyMessagesOnly) {
  expect_contains(cdf_error("0 0\n0 100\n"), ":2:1: the largest size is 0 B, so every message would be empty");
}

TEST(SizeCdf, Refuses) {
  expect_contains(cdf_error(""), "at least two lines");
  expect_contains(cdf_error("0 10\n5 100\n"), ":1:3: the first percentile must be 0");
  expect_contains(cdf_error("0 0\n5 99\n"), ":2:3: the last percentile is 99, and it must be 100 (percent) or 1");
  expect_contains(cdf_error("0 0\n5 50\n4 100\n"), ":3:1: size 4 is below");
  expect_contains(cdf_error("0 0\n5 50\n6 40\n7 100\n"), ":3:3: percentile is below the one before");
  expect_contains(cdf_error("0 0\n5 101\n"), ":2:3: percentile is '101'");
  expect_contains(cdf_error("0 0\n5.5 100\n"), "size (bytes) is '5.5', not a whole number");
}

}  // namespace
}  // namespace heddle::test
