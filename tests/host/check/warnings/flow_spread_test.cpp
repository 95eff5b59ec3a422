// Polarisation: the predicted spread of a hash, and runs that show it.
#include "host/check/warnings/flow_spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "host/check/estimates/qp_path.hpp"
#include "host/check/warnings/flow_sample.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

/// 2 zones of 4 racks x 8 GPUs; 4 next hops at every switch that has a choice. All 64 GPUs send to all others.
World zones(const std::string& routing, const std::string& traffic = "") {
  const std::string all_to_all =
      "[[job]]\ngpus_per_server = 2\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"256 KiB\"]\n";
  return build_world(
      "[dcqcn]\nenabled = false\n[topology]\nkind = \"multi_zone\"\nzones = 2\nracks = 4\ngpus_per_rack = 8\n"
      "ctsws = 4\nuplinks_per_rtsw = 4\natsws = 4\nuplinks_per_ctsw = 4\n" +
          routing + (traffic.empty() ? all_to_all : traffic),
      "test.toml");
}

TierSpread spread_of(const World& world, Tier tier) {
  const std::vector<TierSpread> all = flow_spread(world);
  const auto found = std::ranges::find(all, tier, &TierSpread::tier);
  EXPECT_NE(found, all.end());
  return found == all.end() ? TierSpread{} : *found;
}

/// [link] whether `check` predicts packets of the queue pairs there.
std::vector<bool> foreseen_links(const World& world) {
  std::vector<bool> foreseen(world.fabric.links.size(), false);
  QpPaths paths(world);
  for (const Qp& qp : world.traffic.qps) {
    for (const Way way : {Way::data, Way::answers}) {
      for (const Hop& hop : paths.hops(qp, way)) foreseen[hop.link] = true;
    }
  }
  return foreseen;
}

TEST(FlowSpread, AnEvenHashUsesAllLinks) {
  const World world = zones("");
  for (const Tier tier : {kRtsw, kCtsw, kAtsw}) {
    const TierSpread s = spread_of(world, tier);
    EXPECT_DOUBLE_EQ(s.links, 4);
    EXPECT_NEAR(s.used, s.even_used, 0.05);
    EXPECT_NEAR(s.equal, s.even_equal, 0.1);
  }
  EXPECT_TRUE(polarisation_warnings(world, flow_spread(world)).empty());
}

TEST(FlowSpread, IsToldWithWhatAnIdealHashWouldDo) {
  World world;
  world.fabric.tiers = zone_tiers();
  EXPECT_EQ(spread_text(world, {}), "");
  const TierSpread few{
      .tier = kRtsw, .flows = 2.5, .links = 4, .used = 2, .even_used = 2.25, .equal = 1.5, .even_equal = 1.75};
  TierSpread many = few;
  many.tier = kCtsw;
  many.flows = 123.4;
  EXPECT_EQ(
      spread_text(world, {few, many}),
      "hash       RTSWs have 2.5 flows each for 4 next hops: 2.0 of them carry flows (ideal hash: 2.2), and together "
      "they carry as much as 1.5 equally loaded ones (ideal hash: 1.8)\n"
      "           CTSWs have 123 flows each for 4 next hops: 2.0 of them carry flows (ideal hash: 2.2), and together "
      "they carry as much as 1.5 equally loaded ones (ideal hash: 1.8)\n");
}

/// RTSWs spread well, so that all flows of a CTSW have the same two bits, by which it would choose.
TEST(FlowSpread, OneSeedForAllPolarises) {
  for (const char* hash :
       {"seed = \"same\"", "function = \"crc32\"\nseed = \"same\"", "function = \"crc32\"\nseed = \"per_tier\"",
        "function = \"crc16_ccitt\"\nseed = \"per_tier\"", "function = \"xor16\"\nseed = \"per_tier\""}) {
    const World world = zones(std::string("[routing.hash]\n") + hash + "\n");
    EXPECT_GT(spread_of(world, kRtsw).used, 3.9) << hash;
    EXPECT_DOUBLE_EQ(spread_of(world, kCtsw).used, 1) << hash;
    EXPECT_GT(spread_of(world, kCtsw).even_used, 3.9) << hash;
    EXPECT_EQ(polarisation_warnings(world, flow_spread(world)).size(), 2u) << hash << ": CTSWs and ATSWs";
  }
}

/// The flows of one RTSW stay together at a CTSW, those of its four RTSWs spread by chance: 4 (1 - (3/4)^4) = 2.7.
TEST(FlowSpread, SeedsOfTheirOwnPartOnlyTheFlowsOfDifferentSwitches) {
  const World world = zones("[routing.hash]\nfunction = \"crc32\"\n");
  EXPECT_GT(spread_of(world, kRtsw).used, 3.9);
  EXPECT_NEAR(spread_of(world, kCtsw).used, 2.7, 0.7);
}

TEST(FlowSpread, OffsetsAndFunctionsByTierPartFlows) {
  for (const char* hash : {"function = \"crc32\"\noffset = [0, 5, 10]\nseed = \"same\"",
                           "function = [\"crc16\", \"crc32\", \"crc32c\"]\nseed = \"same\""}) {
    const World world = zones(std::string("[routing.hash]\n") + hash + "\n");
    EXPECT_GT(spread_of(world, kCtsw).used, 3.5) << hash;
    EXPECT_TRUE(polarisation_warnings(world, flow_spread(world)).empty()) << hash;
  }
}

TEST(FlowSpread, FewFieldsAreFewFlows) {
  const World world = zones("[routing.hash]\nfields = [\"dst_ip\"]\n");
  EXPECT_LT(spread_of(world, kCtsw).equal, 0.9 * spread_of(world, kCtsw).even_equal);
}

/// A link of weight 3 gets three times as many flows as one of weight 1, a link of weight 0 none.
TEST(FlowSpread, WeightsDivideFlows) {
  World world = zones("[routing]\npolicy = \"weighted\"\n");
  const NodeId rtsw = world.fabric.endpoints;
  const LinkId up = world.fabric.nodes[rtsw].first_link + 8;
  world.routing.link_weight[up + 1] = 3;
  world.routing.link_weight[up + 3] = 0;
  std::array<u32, 4> flows = {};
  QpPaths paths(world);
  for (const Qp& qp : sample_flows(world)) {
    for (const Hop& hop : paths.hops(qp, Way::data)) {
      if (hop.link >= up && hop.link < up + 4) ++flows[hop.link - up];
    }
  }
  const double all = flows[0] + flows[1] + flows[2] + flows[3];
  ASSERT_GT(all, 100);
  const double deviation = 4 * std::sqrt(all * 0.6 * 0.4);
  EXPECT_NEAR(flows[1], 0.6 * all, deviation);
  EXPECT_NEAR(flows[0], 0.2 * all, deviation);
  EXPECT_NEAR(flows[2], 0.2 * all, deviation);
  EXPECT_EQ(flows[3], 0u);
}

/// Where a policy is multipath, or a plan combines flows, no hash has a spread that could be judged.
TEST(FlowSpread, OnlyHashesAreJudged) {
  for (const PolicyInfo& policy : routing_policies()) {
    if (policy.follows_paths) continue;
    const World world = zones("[routing]\npolicy = \"" + std::string(policy.name) + "\"\n");
    EXPECT_EQ(flow_spread(world).empty(), policy.multipath || policy.steers_flows) << policy.name;
  }
  for (const char* planned : {"path_pinning", "traffic_engineering"})
    EXPECT_TRUE(policy_named(planned).steers_flows) << planned;
}

/// A weighted hash is compared with an even hash of the same weights.
TEST(FlowSpread, AnEvenHashHasTheWeightsThatThePolicyHas) {
  for (const char* policy : {"ecmp", "weighted"}) {
    World world = zones(std::string("[routing]\npolicy = \"") + policy + "\"\nctsw = \"weighted\"\n");
    const NodeId rtsw = world.fabric.endpoints;
    for (NodeId s = rtsw; s < rtsw + 8; ++s) world.routing.link_weight[world.fabric.nodes[s].first_link + 8] = 0;
    EXPECT_DOUBLE_EQ(spread_of(world, kRtsw).links, std::string(policy) == "weighted" ? 3 : 4) << policy;
  }
}

/// A run uses exactly the predicted links.
TEST(FlowSpread, ARunUsesTheLinksThatWereForeseen) {
  for (const char* hash :
       {"", "[routing.hash]\nfunction = \"crc32\"\n", "[routing.hash]\nfields = [\"dst_ip\", \"in_port\"]\n",
        "[routing.hash]\nfunction = \"crc16_ccitt\"\nfields = [\"l4_src_port\", \"in_port\"]\nfold = true\n"}) {
    const World world = zones(hash, "[[generator]]\nkind = \"permutation\"\nbytes = \"64 KiB\"\nmessages = 4\n");
    const std::vector<bool> foreseen = foreseen_links(world);
    Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
    while (engine.advance(kNever)) {
    }
    std::vector<LinkCounters> counters(world.fabric.links.size());
    engine.link_counters(counters);
    for (LinkId l = 0; l < counters.size(); ++l)
      EXPECT_EQ(counters[l].sent_bytes > 0, foreseen[l]) << hash << " link " << l;
  }
}

/// A policy without its flag multipath, or reorders, makes `check` promise what a run does not keep.
TEST(FlowSpread, EveryPolicyDoesAsItsFlagsSay) {
  for (const PolicyInfo& policy : routing_policies()) {
    if (policy.follows_paths) continue;
    const World world =
        zones("[roce]\nrecovery = \"selective_repeat\"\n[routing]\npolicy = \"" + std::string(policy.name) + "\"\n",
              "[[generator]]\nkind = \"permutation\"\nbytes = \"64 KiB\"\nmessages = 4\n");
    const std::vector<bool> foreseen = foreseen_links(world);
    Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
    while (engine.advance(kNever)) {
    }
    std::vector<LinkCounters> counters(world.fabric.links.size());
    engine.link_counters(counters);
    for (LinkId l = 0; l < counters.size(); ++l) {
      EXPECT_TRUE(foreseen[l] || counters[l].sent_bytes == 0)
          << "link " << l << " carries packets that `check` did not foresee: give the policy " << policy.name
          << " multipath = true";
    }
    std::vector<i64> values;
    for (const PolicyParameter& parameter : policy.parameters) values.push_back(parameter.value);
    if (policy.reorders != nullptr && policy.reorders(values)) continue;
    EXPECT_EQ(engine.outcome().totals.data_packets_out_of_order, 0u)
        << "packets overtake each other: give the policy " << policy.name << " reorders";
  }
}

/// Two queue pairs that differ only in their number at the receiver.
TEST(FlowSpread, PoliciesThatHashQueuePairsSaySo) {
  for (const PolicyInfo& policy : routing_policies()) {
    if (policy.follows_paths || policy.multipath) continue;
    const World world = zones("[routing]\npolicy = \"" + std::string(policy.name) + "\"\n");
    QpPaths paths(world);
    u32 parted = 0;
    for (EndpointId dst = 32; dst < 64; ++dst) {
      std::set<LinkId> links;
      for (const u16 number : {1, 2}) {
        Qp qp;
        qp.src = 0;
        qp.dst = dst;
        qp.receiver_number = number;
        for (const Hop& hop : paths.hops(qp, Way::data)) links.insert(hop.link);
      }
      parted += links.size() > 6;  // more than NIC, RTSW, CTSW, ATSW, CTSW, RTSW
    }
    EXPECT_EQ(parted > 0, policy.hashes_qps) << policy.name << ": " << parted << " of 32 pairs of queue pairs part";
  }
}

/// Queue pairs in tables and in closed form have the same flows.
TEST(FlowSample, OfAllToAllsInClosedForm) {
  const std::string job =
      "[[job]]\ngpus_per_server = 2\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"256 KiB\"]\n";
  const std::string e_ecmp = "[routing]\npolicy = \"e_ecmp\"\n";
  const World closed = zones(e_ecmp, job), tables = zones(e_ecmp, job + "[[message]]\nsrc = 0\ndst = 1\nbytes = 1\n");
  ASSERT_TRUE(closed.collectives.jobs[0].all_pairs);
  ASSERT_FALSE(tables.collectives.jobs[0].all_pairs);
  const auto keys = [](const World& world) {
    std::vector<std::array<u32, 4>> all;
    for (const Qp& qp : sample_flows(world)) {
      if (qp.connection != kNone || world.traffic.messages.empty())
        all.push_back({qp.src, qp.dst, qp.receiver_number, qp.source_port_entropy});
    }
    std::ranges::sort(all);
    return all;
  };
  // the message takes the first numbers of its two endpoints in the tables
  std::vector<std::array<u32, 4>> a = keys(closed), b = keys(tables);
  std::erase_if(a, [](const auto& k) { return k[1] == 1; });
  std::erase_if(b, [](const auto& k) { return k[1] == 1; });
  EXPECT_EQ(a.size(),
            63u * 62 * closed.collectives.jobs[0].all_pairs.channels * closed.collectives.jobs[0].all_pairs.qps);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace heddle
