// Explicit messages and generators: queue pairs, order, jitter, ports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "host/scenario/workload/exponential.hpp"
#include "host/scenario/workload/flows.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

World built(const WorkloadInput& input, u32 hosts = 16) {
  World world = world_of(star_options(hosts));
  build_workload(input, world);
  return world;
}

WorkloadInput still_input() {
  WorkloadInput input;
  input.settings.jitter_packets = 0;
  return input;
}

TEST(Messages, OfAPairShareAQpInOrderOfTime) {
  WorkloadInput input = still_input();
  input.messages = {{5, 1, 100, 7000}, {2, 1, 200, 0}, {5, 1, 300, 1000}, {5, 1, 400, 0, "best_effort"}};
  const World world = built(input);
  ASSERT_EQ(world.traffic.qps.size(), 3u);
  EXPECT_EQ(world.traffic.qps[0].src, 2u);
  EXPECT_EQ(world.traffic.qps[1].traffic_class, 2u) << "posted first";
  EXPECT_EQ(world.traffic.qps[1].sender_number, 0u);
  EXPECT_EQ(world.traffic.qps[2].sender_number, 1u);
  EXPECT_EQ(world.traffic.qps[2].receiver_number, 2u);
  ASSERT_EQ(world.traffic.messages.size(), 4u);
  EXPECT_EQ(world.traffic.messages[2].bytes, 300u);
  EXPECT_EQ(world.traffic.messages[3].bytes, 100u);
  EXPECT_EQ(world.traffic.messages[3].qp, 2u);
  EXPECT_EQ(world.traffic.messages[3].post_ps, 7000);
}

TEST(Messages, TakeTheQpsOfAPairInTurn) {
  WorkloadInput input = still_input();
  input.settings.qps_per_pair = 4;
  for (u32 i = 0; i < 6; ++i) input.messages.push_back({0, 1, 1 + i, 0});
  const World world = built(input);
  ASSERT_EQ(world.traffic.qps.size(), 4u);
  std::vector<u32> per_qp(4, 0);
  for (const Message& m : world.traffic.messages) ++per_qp[m.qp];
  EXPECT_EQ(per_qp, (std::vector<u32>{2, 2, 1, 1}));
  EXPECT_EQ(world.traffic.messages[1].bytes, 5u) << "the fifth comes after the first on QP 0";
}

TEST(Messages, SourcePortsArePerPairOrPerQp) {
  WorkloadInput input = still_input();
  input.settings.qps_per_pair = 8;
  for (u32 i = 0; i < 8; ++i) input.messages.push_back({0, 1, 1, 0});
  const auto ports = [&](const char* rule) {
    input.settings.source_port = rule;
    std::set<u16> seen;
    for (const Qp& qp : built(input).traffic.qps) {
      EXPECT_LT(qp.source_port_entropy, 4096);
      seen.insert(qp.source_port_entropy);
    }
    return seen.size();
  };
  EXPECT_EQ(ports("pair"), 1u);
  EXPECT_GT(ports("qp"), 6u);
}

TEST(Messages, JitterStaysBelowItsPackets) {
  WorkloadInput input;
  input.settings.jitter_packets = 2;
  for (u32 i = 0; i < 200; ++i) input.messages.push_back({i % 15, 15, 1, 1'000'000});
  const World world = built(input);
  TimePs least = kNever, most = 0;
  for (const Message& m : world.traffic.messages) {
    least = std::min(least, m.post_ps - 1'000'000);
    most = std::max(most, m.post_ps - 1'000'000);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 2 * 4198 * 20);
  EXPECT_GT(most, 4198 * 20);
}

TEST(Messages, MistakesAreNamed) {
  const auto error = [](MessageOptions m) {
    return config_error_of([&] {
      WorkloadInput input;
      input.messages = {{0, 1, 1, 0}, m};
      built(input);
    });
  };
  EXPECT_NE(error({3, 3, 1, 0}).find("message[1]: endpoint 3 sends to itself"), std::string::npos);
  EXPECT_NE(error({3, 16, 1, 0}).find("the fabric has 16 (0 to 15)"), std::string::npos);
  EXPECT_NE(error({3, 4, 0, 0}).find("at least 1"), std::string::npos);
  constexpr u64 kMax = 0xffffffffull * 4096;  // packets of a message are counted in 32 bits
  EXPECT_EQ(error({3, 4, kMax, 0}), "");
  EXPECT_NE(error({3, 4, kMax + 1, 0}).find("split it into messages of at most 17592186040320 B"), std::string::npos);
  EXPECT_NE(error({3, 4, 1, 0, "control"}).find("no class for data"), std::string::npos);
}

GeneratorOptions generator(const char* kind) {
  GeneratorOptions options;
  options.kind = kind;
  return options;
}

std::vector<std::pair<u32, u32>> pairs_of(const World& world) {
  std::vector<std::pair<u32, u32>> pairs;
  for (const Message& m : world.traffic.messages) {
    pairs.emplace_back(world.traffic.qps[m.qp].src, world.traffic.qps[m.qp].dst);
  }
  return pairs;
}

TEST(Generators, PermutationSendsAndReceivesOnce) {
  WorkloadInput input = still_input();
  input.generators = {generator("permutation")};
  const World world = built(input, 64);
  std::set<u32> sources, destinations;
  for (const auto& [src, dst] : pairs_of(world)) {
    EXPECT_NE(src, dst);
    sources.insert(src);
    destinations.insert(dst);
  }
  EXPECT_EQ(sources.size(), 64u);
  EXPECT_EQ(destinations.size(), 64u);
}

TEST(Generators, IncastMeetsAtItsTarget) {
  WorkloadInput input = still_input();
  input.generators = {generator("incast")};
  input.generators[0].fan_in = 3;
  input.generators[0].stride = 4;
  input.generators[0].target = 14;
  EXPECT_EQ(pairs_of(built(input)), (std::vector<std::pair<u32, u32>>{{2, 14}, {6, 14}, {10, 14}}));
  input.generators[0].fan_in = 4;
  EXPECT_NE(config_error_of([&] { built(input); }).find("sender 4 of 4 would be the target itself"), std::string::npos);
  input.generators[0].stride = 16;
  EXPECT_NE(config_error_of([&] { built(input); }).find("sender 1 of 4 would be the target itself"), std::string::npos);
  input.generators[0].stride = 3;  // has no factor in common with 16 hosts
  input.generators[0].fan_in = 15;
  EXPECT_EQ(pairs_of(built(input)).size(), 15u);
}

TEST(Generators, AllToAllIsEveryOrderedPair) {
  WorkloadInput input = still_input();
  input.generators = {generator("all_to_all")};
  input.generators[0].hosts = 5;
  input.generators[0].first_host = 10;
  input.generators[0].messages = 2;
  input.generators[0].interval_ps = 1000;
  const World world = built(input);
  EXPECT_EQ(world.traffic.qps.size(), 20u);
  ASSERT_EQ(world.traffic.messages.size(), 40u);
  EXPECT_EQ(world.traffic.messages[1].post_ps, 1000);
  EXPECT_EQ(world.traffic.qps[0].dst, 11u) << "round 1 first";
}

TEST(Generators, PoissonCarriesItsLoad) {
  WorkloadInput input = still_input();
  input.generators = {generator("poisson")};
  input.generators[0].bytes = 10'000;
  input.generators[0].load = 0.5;
  input.generators[0].duration_ps = 100'000'000;  // 16 hosts x 100 us x 25 GB/s = 40 MB = 4000 messages
  const World world = built(input);
  EXPECT_NEAR(static_cast<double>(world.traffic.messages.size()), 4000, 4 * std::sqrt(4000.0));
  std::map<u32, u32> received;
  for (const Message& m : world.traffic.messages) {
    EXPECT_LT(m.post_ps, 100'000'000);
    ++received[world.traffic.qps[m.qp].dst];
  }
  EXPECT_EQ(received.size(), 16u);
}

TEST(Generators, PoissonDrawsSizesFromItsDistribution) {
  WorkloadInput input = still_input();
  input.generators = {generator("poisson")};
  input.size_cdfs = {size_cdf_of({{1000, 2000, 10'000}, {0, u64{1} << 31, u64{1} << 32}})};
  const World world = built(input);
  u64 small = 0;
  for (const Message& m : world.traffic.messages) {
    EXPECT_GE(m.bytes, 1000u);
    EXPECT_LE(m.bytes, 10'000u);
    small += m.bytes <= 2000 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(small) / static_cast<double>(world.traffic.messages.size()), 0.5, 0.02);
  EXPECT_EQ(mean_bytes(input.size_cdfs[0]), 3750u);
  EXPECT_EQ(size_at(input.size_cdfs[0], 1u << 30), 1500u);
  EXPECT_THROW(size_cdf_of({{1, 2}, {0, 5}}), std::runtime_error);
}

TEST(Generators, TheLogarithmIsExactToTheLastDigits) {
  for (const u64 x : {u64{1} << 63, u64{1} << 62, u64{0x123456789abcdef}, ~u64{0}, u64{1}}) {
    const double expected = -std::log(static_cast<double>(x) / 18446744073709551616.0);
    EXPECT_NEAR(static_cast<double>(negative_log_q32(x)) / 4294967296.0, expected, 2e-8) << x;
  }
}

TEST(Generators, SameSeedSameMessages) {
  WorkloadInput input;
  input.generators = {generator("permutation"), generator("poisson")};
  const World a = built(input), b = built(input);
  ASSERT_EQ(a.traffic.messages.size(), b.traffic.messages.size());
  EXPECT_EQ(pairs_of(a), pairs_of(b));
  for (u64 i = 0; i < a.traffic.messages.size(); ++i) {
    EXPECT_EQ(a.traffic.messages[i].post_ps, b.traffic.messages[i].post_ps);
  }
}

TEST(SlowReceivers, PauseTheirSwitchPort) {
  WorkloadInput input = still_input();
  input.slow_receivers = {{.endpoints = {3}, .drain_bits_per_s = 100'000'000'000}};
  const World world = built(input);
  ASSERT_EQ(world.traffic.slow_receivers.size(), 1u);
  EXPECT_EQ(world.traffic.slow_receivers[0].drain_ps_per_byte_q16, 80u << 16);
  const Fabric& f = world.fabric;
  const Link& down = f.links[f.links[f.nodes[3].first_link].reverse];
  ASSERT_NE(down.ingress, kNone);
  EXPECT_EQ(f.ingress[down.ingress].xoff_bytes, 1u << 20);
  input.slow_receivers[0].drain_bits_per_s = 500'000'000'000;
  EXPECT_NE(config_error_of([&] { built(input); }).find("at most at its line rate"), std::string::npos);
  input.slow_receivers[0] = {.endpoints = {3, 3}};
  EXPECT_NE(config_error_of([&] { built(input); }).find("twice"), std::string::npos);
}

TEST(Flows, UseTheFilesNodeNumbers) {
  PlainTopology plain;
  plain.nodes = 4;
  plain.switches = {1};
  const std::vector<PlainFlow> of_file = {{3, 0, 3, 100, 5000, 2'000'000, 2}};
  std::vector<PlainFlow> flows = of_file;
  place_flows(flows, plain, "flow.txt");
  EXPECT_EQ(flows[0].src, 2u);
  EXPECT_EQ(flows[0].dst, 0u);
  std::vector<PlainFlow> bad = {{1, 0, 3, 100, 5000, 0, 9}};
  EXPECT_NE(config_error_of([&] { place_flows(bad, plain, "flow.txt"); }).find("flow.txt:9:1: node 1 is a switch"),
            std::string::npos);
  plain.left_out = {false, false, false, true};
  flows = of_file;
  EXPECT_NE(config_error_of([&] {
              place_flows(flows, plain, "flow.txt");
            }).find("flow.txt:2:1: node 3 is left out by topology.first_hosts"),
            std::string::npos);
}

TEST(Flows, BecomeMessagesInTheirOrder) {
  WorkloadInput input = still_input();
  input.messages.resize(1);
  input.messages[0].dst = 1;
  input.messages[0].bytes = 1000;
  input.flows = {{2, 0, 3, 100, 5000, 2'000'000, 2}, {2, 1, 3, 100, 6000, 1'000'000, 3}};
  const World world = built(input);
  ASSERT_EQ(world.traffic.messages.size(), 3u);
  const auto message_of = [&](u64 bytes) { return *std::ranges::find(world.traffic.messages, bytes, &Message::bytes); };
  EXPECT_EQ(message_of(5000).post_ps, 2'000'000);
  EXPECT_EQ(world.traffic.qps[message_of(6000).qp].dst, 1u);
}

TEST(Generators, RefuseIntervalsThatLastForEver) {
  WorkloadInput input;
  input.generators = {generator("permutation")};
  input.generators[0].messages = 100'000'000;
  input.generators[0].interval_ps = 1'000'000'000'000'000;
  EXPECT_NE(config_error_of([&] { built(input); }).find("generator[0].interval: 100000000 messages"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
