// Estimated loads of links along the exact paths of queue pairs, against the bytes that they carried.
#include "host/check/estimates/link_loads.hpp"

#include <gtest/gtest.h>

#include "host/check/estimates/qp_path.hpp"
#include "host/scenario/build.hpp"
#include "kernels/base/units.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

World world_of(const std::string& text) { return build_world(text, "test.toml"); }

constexpr const char* kZone =
    "[dcqcn]\nenabled = false\n"
    "[topology]\nkind = \"ai_zone\"\nracks = 8\ngpus_per_rack = 16\nctsws = 4\nuplinks_per_rtsw = 8\n"
    "[[generator]]\nkind = \"permutation\"\nbytes = \"256 KiB\"\nmessages = 16\n";

Outcome run(const World& world) {
  Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
  while (engine.advance(kNever)) {
  }
  Outcome outcome = engine.outcome();
  outcome.links.resize(world.fabric.links.size());
  engine.links(outcome.links);
  return outcome;
}

/// No packet is lost or retransmitted here, so every link carries just the estimate.
void expect_foreseen(const World& world) {
  const LinkLoads loads = link_loads(world);
  ASSERT_TRUE(loads.known());
  const Outcome outcome = run(world);
  ASSERT_EQ(outcome.totals.retransmits, 0u);
  for (LinkId l = 0; l < world.fabric.links.size(); ++l)
    EXPECT_DOUBLE_EQ(loads.of[l].wire_bytes, static_cast<double>(outcome.links[l].sent_bytes)) << "link " << l;
}

TEST(LinkLoads, OfEcmpAreExact) { expect_foreseen(world_of(std::string("[routing]\npolicy = \"ecmp\"\n") + kZone)); }

TEST(LinkLoads, OfEEcmpAreExact) {
  expect_foreseen(world_of(std::string("[routing]\npolicy = \"e_ecmp\"\n[workload]\nqps_per_pair = 4\n") + kZone));
}

TEST(LinkLoads, OfPathPinningAreExact) {
  expect_foreseen(world_of(std::string("[routing]\npolicy = \"path_pinning\"\n") + kZone));
}

/// A multipath policy is estimated to use all next hops equally: every uplink of a rack has the same load, and their
/// sum is that of ECMP.
TEST(LinkLoads, OfSprayingAreMeans) {
  const World ecmp = world_of(std::string("[routing]\npolicy = \"ecmp\"\n") + kZone);
  const World spray = world_of(std::string("[routing]\npolicy = \"spray\"\n") + kZone);
  const LinkLoads hashed = link_loads(ecmp), even = link_loads(spray);
  const Node& rtsw = ecmp.fabric.nodes[ecmp.fabric.endpoints];
  double sum_hashed = 0, sum_even = 0;
  u32 uplinks = 0;
  for (LinkId l = rtsw.first_link; l < rtsw.first_link + rtsw.ports; ++l) {
    if (ecmp.fabric.links[l].dst < ecmp.fabric.endpoints) {
      EXPECT_NEAR(even.of[l].wire_bytes, hashed.of[l].wire_bytes, 1e-6 * hashed.of[l].wire_bytes) << "downlink " << l;
      continue;
    }
    ++uplinks;
    sum_hashed += hashed.of[l].wire_bytes;
    sum_even += even.of[l].wire_bytes;
    EXPECT_NEAR(even.of[l].wire_bytes, even.of[rtsw.first_link + rtsw.ports - 1].wire_bytes, 1) << "uplink " << l;
  }
  EXPECT_EQ(uplinks, 8u);
  EXPECT_NEAR(sum_even, sum_hashed, 1e-6 * sum_hashed);
}

/// The NIC alone would take 90 us; hashing puts several senders on one uplink.
TEST(LinkLoads, TheFullestLinkBoundsTheRun) {
  const World world = world_of(std::string("[routing]\npolicy = \"ecmp\"\n") + kZone);
  const TimePs min_ps = fullest_link_ps(world, link_loads(world));
  const TimePs took_ps = run(world).end_ps;
  EXPECT_LT(min_ps, took_ps);
  EXPECT_GT(static_cast<double>(min_ps), 0.8 * static_cast<double>(took_ps));
  EXPECT_GT(min_ps, 200'000'000);
}

/// One pair in a rack, another over a CTSW.
TEST(LinkLoads, ShortestAndLongestRoundTrip) {
  const World world = world_of(
      "[topology]\nkind = \"ai_zone\"\nracks = 8\ngpus_per_rack = 16\nctsws = 4\nuplinks_per_rtsw = 8\n"
      "[[message]]\nsrc = 0\ndst = 16\nbytes = \"1 MiB\"\n[[message]]\nsrc = 0\ndst = 1\nbytes = \"1 MiB\"\n");
  ASSERT_EQ(world.traffic.qps.size(), 2u);
  const QpId far = world.traffic.qps[0].dst == 16 ? 0 : 1;
  QpPaths paths(world);
  TimePs shortest_ps = 0, longest_ps = 0;
  for (const Way way : {Way::data, Way::answers}) {
    for (const Hop& hop : paths.hops(world.traffic.qps[1 - far], way))
      shortest_ps += world.fabric.links[hop.link].lambda_ps;
    const u32 wire_bytes =
        way == Way::data ? world.roce.mtu_bytes + world.roce.data_overhead_wire_bytes : world.roce.ack_wire_bytes;
    const std::vector<Hop>& hops = paths.hops(world.traffic.qps[far], way);
    ASSERT_EQ(hops.size(), 4u);
    for (const Hop& hop : hops) {
      const Link& link = world.fabric.links[hop.link];
      longest_ps += link.lambda_ps + ser_ps(wire_bytes, link.ps_per_byte_q16);
    }
  }
  const LinkLoads loads = link_loads(world);
  EXPECT_EQ(loads.shortest_round_trip_ps, shortest_ps);
  EXPECT_EQ(loads.longest_round_trip.qp, far);
  EXPECT_EQ(loads.longest_round_trip.time_ps, longest_ps);
}

TEST(LinkLoads, WhatAWindowAdmitsIsUnderWay) {
  const World all = world_of(kZone);
  const World few = world_of(std::string(kZone) + "[roce]\nwindow_packets = 32\n");
  const LinkId nic = all.fabric.nodes[0].first_link;
  EXPECT_DOUBLE_EQ(link_loads(all).of[nic].max_packets, 16 * 64);
  EXPECT_DOUBLE_EQ(link_loads(few).of[nic].max_packets, 32);
  EXPECT_DOUBLE_EQ(link_loads(few).of[nic].wire_bytes, link_loads(all).of[nic].wire_bytes);
}

TEST(LinkLoads, AllToAllsInClosedFormAreNotFollowed) {
  EXPECT_FALSE(link_loads(world_of("[topology]\nkind = \"ai_zone\"\nracks = 8\n[[job]]\n[[job.collective]]\n"
                                   "kind = \"all_to_all\"\nsizes = [\"1 MiB\"]\n"))
                   .known());
}

}  // namespace
}  // namespace heddle
