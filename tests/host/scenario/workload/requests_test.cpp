// Clients that ask servers: who asks whom, when, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "host/base/error.hpp"
#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

constexpr TimePs kUs = 1'000'000;

World world_of(const std::string& generator) {
  return build_world(
      "[topology]\nkind = 'star'\nhosts = 8\n[workload]\njitter_packets = 0\n[[generator]]\nkind = 'requests'\n" +
          generator,
      "test.toml");
}

Outcome outcome_of(const World& world) {
  Engine engine(world, EngineOptions{});
  while (engine.advance(kNever)) {
  }
  Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  return outcome;
}

const char* const kTwoServers = "first_server = 6\nservers = 2\nstart = '3 us'\nservice = '20 us'\n";

/// Number `i` of the messages of request `r`: questions, then answers.
MessageId message_of(const World& world, const Request& r, u32 i) { return world.traffic.of_requests[r.first + i]; }

TEST(Requests, AnAnswerFollowsItsQuestionAfterTheService) {
  const World world = world_of(std::string(kTwoServers) + "outstanding = 1\nmessages = 3\nbytes = '10 KB'\n");
  const Outcome outcome = outcome_of(world);
  ASSERT_EQ(world.traffic.requests.size(), 6u * 3) << "all that serve nothing ask";
  for (u32 k = 0; k < world.traffic.requests.size(); ++k) {
    const Request& r = world.traffic.requests[k];
    ASSERT_EQ(r.questions, 1u);
    ASSERT_EQ(r.answers, 1u);
    const MessageId question = message_of(world, r, 0), answer = message_of(world, r, 1);
    const Qp& there = world.traffic.qps[world.traffic.messages[question].qp];
    const Qp& back = world.traffic.qps[world.traffic.messages[answer].qp];
    EXPECT_EQ(there.src, k / 3);
    EXPECT_GE(there.dst, 6u);
    EXPECT_EQ(there.src, back.dst);
    EXPECT_EQ(there.dst, back.src);
    EXPECT_EQ(world.traffic.messages[question].bytes, 256u);
    EXPECT_EQ(world.traffic.messages[answer].bytes, 10'000u);
    EXPECT_EQ(outcome.messages[answer].posted_ps, outcome.messages[question].received_ps + 20 * kUs);
    if (k % 3 == 0) {
      EXPECT_EQ(world.traffic.messages[question].post_ps, 3 * kUs);
    } else {
      const MessageId before = message_of(world, world.traffic.requests[k - 1], 1);
      EXPECT_EQ(outcome.messages[question].posted_ps, outcome.messages[before].received_ps) << "one at a time";
    }
  }
  EXPECT_LE(world.traffic.qps.size(), 6u * 2 * 2) << "connections stand";
}

/// Two under way: requests 0, 2, 4, ... follow each other, and 1, 3, 5, ...; neither stands behind one of the others.
TEST(Requests, ThoseUnderWayHaveConnectionsOfTheirOwn) {
  const World world = world_of("first_server = 7\nservers = 1\nhosts = 1\noutstanding = 2\nmessages = 6\n");
  ASSERT_EQ(world.traffic.requests.size(), 6u);
  for (u32 i : {0u, 1u}) {
    std::vector<QpId> qps;
    for (const Request& r : world.traffic.requests) qps.push_back(world.traffic.messages[message_of(world, r, i)].qp);
    EXPECT_NE(qps[0], qps[1]);
    for (u32 k = 2; k < 6; ++k) EXPECT_EQ(qps[k], qps[k - 2]) << k;
  }
}

TEST(Requests, StripesAreAskedAtOnceOfDifferentServers) {
  const World world = world_of(
      "first_server = 4\nservers = 4\nstripes = 3\noutstanding = 2\nmessages = 5\n"
      "first_host = 1\nhosts = 1\nbytes = '10 KB'\n");
  const Outcome outcome = outcome_of(world);
  ASSERT_EQ(world.traffic.requests.size(), 5u);
  for (u32 k = 0; k < 5; ++k) {
    const Request& r = world.traffic.requests[k];
    ASSERT_EQ(r.questions, 3u);
    std::set<EndpointId> asked;
    for (u32 s = 0; s < 3; ++s) {
      asked.insert(world.traffic.qps[world.traffic.messages[message_of(world, r, s)].qp].dst);
      EXPECT_EQ(world.traffic.messages[message_of(world, r, 3 + s)].bytes, 3334u);
    }
    EXPECT_EQ(asked.size(), 3u);
    if (k < 2) continue;
    TimePs answered_ps = 0;  // of the request before the last: two are under way
    for (u32 s = 3; s < 6; ++s)
      answered_ps =
          std::max(answered_ps, outcome.messages[message_of(world, world.traffic.requests[k - 2], s)].received_ps);
    for (u32 s = 0; s < 3; ++s) EXPECT_EQ(outcome.messages[message_of(world, r, s)].posted_ps, answered_ps);
  }
}

TEST(Requests, ComeAtRandomWithTheLoad) {
  const World world = world_of("first_server = 4\nservers = 4\nload = 0.4\nduration = '400 us'\nbytes = '20 KB'\n");
  std::map<EndpointId, double> bytes, at_server;
  for (const Message& m : world.traffic.messages) {
    const Qp& qp = world.traffic.qps[m.qp];
    if (qp.src < 4) {
      EXPECT_LT(m.post_ps, 400 * kUs);
      at_server[qp.dst] += 1;
    } else {
      bytes[qp.dst] += static_cast<double>(m.bytes);
    }
  }
  double all = 0;
  for (const auto& [client, of] : bytes) all += of;
  EXPECT_NEAR(all / 4, 0.4 * 50e9 * 400e-6, 0.15 * 0.4 * 50e9 * 400e-6) << "a NIC has 50 GB/s";
  EXPECT_EQ(at_server.size(), 4u);
}

TEST(Requests, StorageServersOfAFabricAreTheServers) {
  const World world = build_world(
      "[topology]\nkind = 'star'\nhosts = 8\n[[fabric]]\nname = 'frontend'\nstorage_hosts = 3\n[fabric.topology]\n"
      "kind = 'star'\nhosts = 7\n[[generator]]\nfabric = 'frontend'\nkind = 'requests'\nfirst_server = 1\n"
      "outstanding = 1\nmessages = 20\n",
      "test.toml");
  std::set<EndpointId> clients, servers;
  for (const Request& r : world.traffic.requests) {
    const Qp& qp = world.traffic.qps[world.traffic.messages[message_of(world, r, 0)].qp];
    clients.insert(qp.src);
    servers.insert(qp.dst);
  }
  EXPECT_EQ(servers, (std::set<EndpointId>{13, 14})) << "the second and the third of endpoints 12 to 14";
  EXPECT_EQ(clients, (std::set<EndpointId>{8, 9, 10, 11})) << "the CPU NICs";
}

TEST(Requests, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& generator, const std::string& why) {
    const std::string message = test::message_of<ConfigError>([&] { world_of(generator); });
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  refused("", "generator[0].servers: which hosts are servers?");
  refused("first_server = 7\nservers = 2\n", "2 servers from first_server = 7 on, but there are hosts 0 to 7");
  refused("servers = 2\nstripes = 3\n", "generator[0].stripes = 3: a request asks so many different servers");
  refused("servers = 2\nfirst_host = 1\nhosts = 3\n", "some of the hosts 1 to 3 are clients and servers");
  refused("servers = 8\n", "all hosts are servers, and none sends to them");
  refused("servers = 2\nhosts = 9\n", "9 hosts from 0 on, but the fabric has endpoints 0 to 7");
  refused("servers = 2\ninterval = '1 us'\n", "interval");
}

}  // namespace
}  // namespace heddle
