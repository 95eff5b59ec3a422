// Hosts that report to collectors: who to whom, when, on which connections, and what is refused.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/workload/counts.hpp"
#include "host/scenario/workload/workload.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

constexpr TimePs kMicrosecond = 1'000'000;

World reporting_world(const std::string& generator) {
  return build_world(
      "[topology]\nkind = 'star'\nhosts = 8\n[workload]\njitter_packets = 0\n[[generator]]\nkind = 'telemetry'\n" +
          generator,
      "test.toml");
}

const char* const kTwoCollectors = "first_server = 6\nservers = 2\nstart = '3 us'\nbytes = '4 KB'\n";

TEST(Telemetry, EveryHostReportsEachIntervalFromAPhaseOfItsOwn) {
  const World world = reporting_world(std::string(kTwoCollectors) + "interval = '10 us'\nduration = '40 us'\n");
  std::map<EndpointId, std::vector<TimePs>> posted;
  for (const Message& m : world.traffic.messages) {
    const Qp& qp = world.traffic.qps[m.qp];
    EXPECT_EQ(m.bytes, 4'000u);
    EXPECT_EQ(qp.dst, 6 + qp.src % 2) << "collectors get hosts in turn";
    posted[qp.src].push_back(m.post_ps);
  }
  ASSERT_EQ(posted.size(), 6u);
  std::set<TimePs> phases;
  for (const auto& [host, times] : posted) {
    ASSERT_EQ(times.size(), 4u) << host;
    EXPECT_GE(times[0], 3 * kMicrosecond);
    EXPECT_LT(times[0], 13 * kMicrosecond);
    for (u32 i = 1; i < 4; ++i) EXPECT_EQ(times[i], times[0] + 10 * kMicrosecond * i);
    phases.insert(times[0]);
  }
  EXPECT_EQ(phases.size(), 6u) << "chance spreads them";
  EXPECT_EQ(world.traffic.qps.size(), 6u) << "one connection of each host stands";
}

/// A duration that is no multiple of the interval: hosts with an early phase send one report more.
TEST(Telemetry, EndsWithItsDuration) {
  const World world = reporting_world(std::string(kTwoCollectors) + "interval = '10 us'\nduration = '25 us'\n");
  std::map<EndpointId, u64> reports;
  for (const Message& m : world.traffic.messages) {
    EXPECT_LT(m.post_ps, 28 * kMicrosecond);
    ++reports[world.traffic.qps[m.qp].src];
  }
  std::set<u64> numbers;
  for (const auto& [host, number] : reports) numbers.insert(number);
  EXPECT_EQ(numbers, (std::set<u64>{2, 3}));
}

TEST(Telemetry, IsCountedBeforeItIsBuilt) {
  const World world = reporting_world(std::string(kTwoCollectors) + "interval = '10 us'\nduration = '40 us'\n");
  WorkloadInput input;
  GeneratorOptions options;
  options.kind = "telemetry";
  options.interval_ps = 10 * kMicrosecond;
  options.first_server = 6;
  options.servers = 2;
  options.duration_ps = 40 * kMicrosecond;
  input.generators = {options};
  const WorkloadCounts counts = count_messages(input, world);
  EXPECT_EQ(counts.messages, world.traffic.messages.size());
  EXPECT_EQ(counts.qps, world.traffic.qps.size());
  EXPECT_EQ(counts.waits, 0u);
}

TEST(Telemetry, CollectorsMayBeTheStorageHostsOfAFabric) {
  const World world = build_world(
      "[topology]\nkind = 'star'\nhosts = 8\n[[fabric]]\nname = 'management'\nstorage_hosts = 2\n[fabric.topology]\n"
      "kind = 'star'\nhosts = 7\n[[generator]]\nfabric = 'management'\nkind = 'telemetry'\ninterval = '10 us'\n",
      "test.toml");
  std::set<EndpointId> reporting, collectors;
  for (const Qp& qp : world.traffic.qps) {
    reporting.insert(qp.src);
    collectors.insert(qp.dst);
  }
  EXPECT_EQ(collectors, (std::set<EndpointId>{13, 14}));
  EXPECT_EQ(reporting, (std::set<EndpointId>{8, 9, 10, 11, 12}));
}

TEST(Telemetry, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& generator, const std::string& why) {
    const std::string message = test::message_of<ConfigError>([&] { reporting_world(generator); });
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  const std::string often = "interval = '1 us'\n";
  refused("servers = 1\nfirst_server = 7\n", "generator[0].interval: telemetry needs the time between two reports");
  refused(often, "generator[0].servers: which hosts are servers?");
  refused(often + "servers = 8\n", "all hosts are servers, and none sends to them");
  refused(often + "servers = 2\nhosts = 9\n", "9 hosts from 0 on, but the fabric has endpoints 0 to 7");
  refused("servers = 1\ninterval = '1000 s'\nduration = '1 us'\n",
          "generator[0].duration: is over before any host reports");
  refused(often + "servers = 1\nmessages = 3\n", "messages");
}

}  // namespace
}  // namespace heddle
