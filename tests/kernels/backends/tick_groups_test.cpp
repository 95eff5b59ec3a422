// Which nodes simulate a tick batch together, and with which group each worker begins: each node once.
#include "kernels/backends/tick_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle {
namespace {

constexpr TimePs kTickPs = 1'000;

/// Switches with cables between them, and endpoints with one cable each.
class Graph {
 public:
  Graph(u32 switches, const std::vector<u32>& switch_of_endpoint) {
    model.view.switches = switches;
    model.view.endpoints = static_cast<u32>(switch_of_endpoint.size());
    model.view.nodes = switches + model.view.endpoints;
    cables_.resize(model.view.nodes);
    for (u32 e = 0; e < switch_of_endpoint.size(); ++e) cable(switches + e, switch_of_endpoint[e], kTickPs);
  }

  void cable(u32 a, u32 b, TimePs latency_ps, TimePs pause_latency_ps = 0) {
    one_way(a, b, latency_ps, pause_latency_ps);
    one_way(b, a, latency_ps, pause_latency_ps);
  }
  /// Adds an egress for packets and, with a latency of pauses, for pause frames.
  void one_way(u32 a, u32 b, TimePs latency_ps, TimePs pause_latency_ps = 0) {
    if (a < cables_.size()) cables_[a].push_back({b, latency_ps, pause_latency_ps});
  }

  TickGroups tick_groups(EngineOptions options = {}) {
    View& v = model.view;
    for (const std::vector<Cable>& cables : cables_) {
      first_link_.push_back(static_cast<u32>(egress_.size()));
      for (const Cable& c : cables) {
        Egress egress;
        egress.dst_node = c.to;
        egress.lambda_ps = c.latency_ps;
        egress_.push_back(egress);
        IngressPort ingress;
        ingress.profile = c.pause_latency_ps == 0 ? kNone : 0;
        ingress.phi_ps = c.pause_latency_ps;
        ingress_.push_back(ingress);
      }
    }
    first_link_.push_back(static_cast<u32>(egress_.size()));
    first_word_.push_back(0);
    for (u32 node = 0; node < v.switches; ++node)
      first_word_.push_back(first_word_.back() + (static_cast<u32>(cables_[node].size()) + 63) / 64);
    v.first_link = first_link_.data();
    v.egress = egress_.data();
    v.ingress = ingress_.data();
    v.first_port_word = first_word_.data();
    v.settings.any_nvlink = false;
    return tick_groups_of(model, options, kTickPs);
  }

  Model model;

 private:
  struct Cable {
    u32 to;
    TimePs latency_ps, pause_latency_ps;
  };
  std::vector<std::vector<Cable>> cables_;  // [node]
  std::vector<u32> first_link_, first_word_;
  std::vector<Egress> egress_;
  std::vector<IngressPort> ingress_;
};

/// Spines 0 and 1, then racks of 64 endpoints, with a cable to both.
struct Racks : Graph {
  explicit Racks(u32 count, TimePs latency_ps = 2 * kTickPs, TimePs pause_latency_ps = 0)
      : Graph(2 + count, racks_of_endpoints(count)) {
    for (u32 rack = 2; rack < 2 + count; ++rack)
      for (const u32 spine : {0u, 1u}) cable(rack, spine, latency_ps, pause_latency_ps);
  }
  static std::vector<u32> racks_of_endpoints(u32 count) {
    std::vector<u32> racks;
    for (u32 e = 0; e < count * 64; ++e) racks.push_back(2 + e / 64);
    return racks;
  }
};

std::vector<u32> list(std::span<const u32> numbers) { return {numbers.begin(), numbers.end()}; }

TEST(TickGroups, RacksWithTheirEndpointsGoThroughTheTicksThatTheirCablesToSpinesTake) {
  const TickGroups c = Racks(2).tick_groups();
  EXPECT_EQ(c.batch_ticks, 2u);
  ASSERT_EQ(c.count(), 2u);
  EXPECT_EQ(list(c[0].switches), std::vector<u32>{2});
  EXPECT_EQ(list(c[0].words), (std::vector<u32>{0, 1}));
  EXPECT_EQ(list(c[1].switches), std::vector<u32>{3});
  EXPECT_EQ(list(c[1].words), (std::vector<u32>{2, 3}));
  EXPECT_EQ(c.alone, (std::vector<u32>{0, 1}));
}

TEST(TickGroups, PortsAreNearWhoseCablesStayInTheGroup) {
  std::vector<u32> switch_of_endpoint(40, 1);
  Graph graph(2, switch_of_endpoint);
  graph.cable(1, 0, 2 * kTickPs);  // the last port of the rack
  const TickGroups c = graph.tick_groups();
  EXPECT_EQ(c.near_ports[0], 0u) << "of the spine";
  EXPECT_EQ(c.near_ports[1], (u64{1} << 40) - 1);
}

TEST(TickGroups, TheShortestLatencyBetweenGroupsDecides) {
  EXPECT_EQ(Racks(2, 3 * kTickPs - 1).tick_groups().batch_ticks, 2u);
  EXPECT_EQ(Racks(2, 3 * kTickPs).tick_groups().batch_ticks, 3u);
  EXPECT_EQ(Racks(2, 3 * kTickPs, 2 * kTickPs).tick_groups().batch_ticks, 2u) << "that of pauses";
  EXPECT_EQ(Racks(2, 100 * kTickPs).tick_groups().batch_ticks, kMaxBatchTicks);
  EXPECT_EQ(Racks(2, 100 * kTickPs).tick_groups({.max_batch_ticks = 2}).batch_ticks, 2u);
}

/// An end sends its pauses over its own egress.
TEST(TickGroups, PausesCountWhereAnEndKeepsAnAccount) {
  Racks graph(2, 3 * kTickPs);
  graph.one_way(2, 0, 100 * kTickPs, 2 * kTickPs);
  graph.one_way(0, 2, 100 * kTickPs);
  EXPECT_EQ(graph.tick_groups().batch_ticks, 2u);
}

TEST(TickGroups, SwitchesWithAShortCableBetweenThemAreTogether) {
  Racks graph(3);
  graph.cable(3, 4, 2 * kTickPs - 1);
  const TickGroups c = graph.tick_groups();
  EXPECT_EQ(c.batch_ticks, 2u);
  ASSERT_EQ(c.count(), 2u);
  EXPECT_EQ(list(c[1].switches), (std::vector<u32>{3, 4}));
  EXPECT_EQ(list(c[1].words), (std::vector<u32>{2, 3, 4, 5}));
}

TEST(TickGroups, SoAreThoseWithoutEndpoints) {
  Racks graph(2);
  graph.cable(0, 1, kTickPs);
  const TickGroups c = graph.tick_groups();
  ASSERT_EQ(c.count(), 3u);
  EXPECT_EQ(list(c[2].switches), (std::vector<u32>{0, 1}));
  EXPECT_TRUE(c[2].words.empty());
  EXPECT_TRUE(c.alone.empty());
}

TEST(TickGroups, EndpointsOfOneWordAreTogetherWhateverTheirSwitches) {
  std::vector<u32> switch_of_endpoint(32, 1);
  std::fill_n(switch_of_endpoint.begin(), 16, 0);
  const TickGroups c = Graph(2, switch_of_endpoint).tick_groups();
  ASSERT_EQ(c.count(), 1u);
  EXPECT_EQ(list(c[0].switches), (std::vector<u32>{0, 1}));
}

TEST(TickGroups, GpusWithAnNvlinkBetweenThemAreTogether) {
  Racks graph(2);
  graph.tick_groups();
  View& v = graph.model.view;
  const std::vector<u32> incoming = {0};
  std::vector<u32> first_incoming(v.endpoints + 1, 0);
  first_incoming.back() = 1;  // an NVLink to the last endpoint, from the first
  NvlinkPlan nvlink;
  nvlink.src = 0;
  nvlink.dst = v.endpoints - 1;
  v.settings.any_nvlink = true;
  v.collective.incoming = incoming.data();
  v.collective.first_incoming = first_incoming.data();
  v.collective.nvlink = &nvlink;
  EXPECT_EQ(tick_groups_of(graph.model, {}, kTickPs).count(), 1u);
}

/// Expects each word of endpoints by itself, and every switch alone, beside its endpoints.
void expect_none(const TickGroups& c, const std::string& why) {
  EXPECT_EQ(c.batch_ticks, 1u) << why;
  for (u32 i = 0; i < c.count(); ++i) {
    EXPECT_TRUE(c[i].switches.empty()) << why;
    EXPECT_EQ(list(c[i].words), std::vector<u32>{i}) << why;
  }
}

TEST(TickGroups, NoneWhereCablesAreTooShort) {
  const TickGroups c = Racks(6, 2 * kTickPs - 1).tick_groups();
  expect_none(c, "all nodes are together then, and these are too many");
  EXPECT_EQ(c.count(), 12u);
}

TEST(TickGroups, NoneThatWouldBeTooLarge) {
  std::vector<u32> switch_of_endpoint(kMaxTickGroupNodes, 0);
  expect_none(Graph(1, switch_of_endpoint).tick_groups(), "one node too many");
  switch_of_endpoint.pop_back();
  EXPECT_EQ(Graph(1, switch_of_endpoint).tick_groups().batch_ticks, kMaxBatchTicks);
}

TEST(TickGroups, NoneWhereWorkersWouldHaveNothingToDo) {
  expect_none(Racks(3).tick_groups({.threads = 2}), "fewer than two for each");
  EXPECT_EQ(Racks(4).tick_groups({.threads = 2}).batch_ticks, 2u);
  EXPECT_EQ(Racks(1).tick_groups({.threads = 1}).batch_ticks, 2u);
  EXPECT_EQ(Racks(3).tick_groups({.threads = 2, .sharing_from_nodes = 0}).batch_ticks, 2u) << "tests share them all";
}

TEST(TickGroups, NoneWhereNobodyWantsThem) {
  const TickGroups c = Racks(4).tick_groups({.threads = 2, .max_batch_ticks = 1});
  expect_none(c, "max_batch_ticks = 1");
  EXPECT_EQ(c.first_group_of_worker, (std::vector<u32>{0, 4, 8}));
  EXPECT_EQ(c.alone, (std::vector<u32>{0, 2, 3, 1, 4, 5})) << "racks with their endpoints";
  EXPECT_EQ(c.first_alone, (std::vector<u32>{0, 3, 6}));
}

TEST(TickGroups, EachIsOfOneWorkerHoweverManyThereAre) {
  for (const u32 max_ticks : {1u, 2u}) {
    for (const u32 workers : {1u, 2u, 5u, 6u, 7u, 64u}) {
      TickGroups c = Racks(3).tick_groups({.threads = workers, .sharing_from_nodes = 0, .max_batch_ticks = max_ticks});
      EXPECT_EQ(c.first_group_of_worker.size(), workers + 1);
      EXPECT_EQ(c.first_alone.size(), workers + 1);
      EXPECT_EQ(c.first_group_of_worker.front() + c.first_alone.front(), 0u);
      EXPECT_EQ(c.first_group_of_worker.back(), c.count());
      EXPECT_EQ(c.first_alone.back(), c.alone.size());
      EXPECT_TRUE(std::is_sorted(c.first_group_of_worker.begin(), c.first_group_of_worker.end()));
      EXPECT_TRUE(std::is_sorted(c.first_alone.begin(), c.first_alone.end()));
      std::vector<u32> switches = c.alone, groups;
      switches.insert(switches.end(), c.switches.begin(), c.switches.end());
      groups.insert(groups.end(), c.words.begin(), c.words.end());
      std::sort(switches.begin(), switches.end());
      EXPECT_EQ(switches, (std::vector<u32>{0, 1, 2, 3, 4}));
      EXPECT_EQ(groups, (std::vector<u32>{0, 1, 2, 3, 4, 5}));
    }
  }
}

/// Parts exchange updates often enough, so a cable to another part does not limit the tick batch.
TEST(TickGroups, CablesToOtherPartsAreOthersCare) {
  Racks graph(2);
  graph.cable(2, graph.model.view.nodes, kTickPs / 2);  // to a ghost
  const TickGroups c = graph.tick_groups();
  EXPECT_EQ(c.batch_ticks, 2u);
  EXPECT_EQ(c.count(), 2u);
}

TEST(TickGroups, WithoutEndpointsOrSwitches) {
  const TickGroups c = Graph(0, {}).tick_groups({.threads = 2});
  EXPECT_EQ(c.first_group_of_worker, (std::vector<u32>{0, 0, 0}));
  EXPECT_EQ(c.first_alone, (std::vector<u32>{0, 0, 0}));
}

}  // namespace
}  // namespace heddle
