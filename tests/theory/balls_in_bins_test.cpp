// Balls in bins: hashing puts flows on links as if each drew one evenly (Raab and Steger, 1998). The busiest of the
// links sets the pace: of 1,000 flows over 16 links, and of 16 NICs x Q queue pairs over 16 or 18 uplinks
// under E-ECMP, busiest load in units of the line rate = most queue pairs on an uplink / Q.
//
// The numbers that went around before this test are from a Monte Carlo run: the exact means differ from them by up to
// 0.9 % (3.078 instead of 3.09, 2.932 instead of 2.96), so those are compared within 1 %, and the hash with the exact
// mean within four standard errors.
//
// Three ways to the same number: the exact mean of the multinomial's maximum; the engine's hash over many seeds; and
// the bytes that the engine's links carry, which must equal the count by hash link by link.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "kernels/routing/route.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::theory {
namespace {

using acceptance::world_of;

constexpr u32 kNics = 16;

/// Mean of the fullest of `bins` bins after `balls` independent even draws. Exact but for rounding:
/// P(max <= m) = balls! / bins^balls * [x^balls] (sum over k <= m of x^k / k!)^bins, computed as a Markov chain over
/// bins, bin after bin taking its binomial share of what is left.
double expected_fullest(u32 balls, u32 bins) {
  double mean = 0;
  for (u32 most = 0; most < balls; ++most) {
    std::vector<double> left(balls + 1, 0.0);  // [balls not yet placed], no bin beyond `most` so far
    left[balls] = 1;
    for (u32 bin = 0; bin < bins; ++bin) {
      const double p = 1.0 / (bins - bin);
      std::vector<double> next(balls + 1, 0.0);
      for (u32 n = 0; n <= balls; ++n) {
        if (left[n] == 0) continue;
        for (u32 k = 0; k <= std::min(n, most); ++k) {
          if (p == 1.0 && k != n) continue;
          const double log_choose = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
          next[n - k] += left[n] * (p == 1.0 ? 1.0 : std::exp(log_choose + k * std::log(p) + (n - k) * std::log1p(-p)));
        }
      }
      left = std::move(next);
    }
    const double beyond = 1 - left[0];
    mean += beyond;  // E[max] = sum of P(max > m)
    if (beyond < 1e-12) break;
  }
  return mean;
}

/// The engine's hash at one switch of a fabric of this seed.
class SwitchHash {
 public:
  SwitchHash(u64 seed, NodeId node, std::string_view policy)
      : policy_(static_cast<u8>(routing_policy_number(policy))), state_(hash64(seed, Stream::ecmp, node)) {
    for (u16 port = 0; port < kMaxLinks; ++port) ports_[port] = port;
    view_.policy_of = &policy_;
    view_.plain_policy = &policy_;
    view_.ecmp_state = &state_;
    view_.group_of = groups_.data();
    view_.route_row = &row_;
    view_.route = &set_;
    view_.sets = &hops_;
    view_.set_ports = ports_.data();
  }
  SwitchHash(const SwitchHash&) = delete;
  u32 index(const PacketFields& fields, u32 links) {
    hops_.count = links;
    return RoutingPolicies::choose(view_, 0, make_packet(fields), 0, 0, tally_);
  }

 private:
  static constexpr u32 kMaxLinks = 64;
  static inline const std::vector<u32> groups_ = std::vector<u32>(1 << 13, 0);
  View view_;
  Tally tally_;
  u8 policy_;
  u64 state_, row_ = 0;
  u32 set_ = 0;
  NextHops hops_;
  std::array<u16, kMaxLinks> ports_;
};

PacketFields data_packet(u32 src, u32 dst, u32 dst_qp, u32 entropy) {
  return {.dst = dst,
          .dst_qp = dst_qp,
          .src = src,
          .entropy = entropy,
          .psn = 0,
          .frame_bytes = 4178,
          .traffic_class = 1,
          .kind = PacketKind::data,
          .last = false};
}

struct Sample {
  double mean = 0, standard_error = 0;
};

template <class FullestOfSeed>
Sample over_seeds(u32 seeds, const FullestOfSeed& fullest) {
  double sum = 0, squares = 0;
  for (u32 seed = 1; seed <= seeds; ++seed) {
    const double x = fullest(seed);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / seeds;
  return {mean, std::sqrt((squares / seeds - mean * mean) / seeds)};
}

void expect_same(const Sample& hashed, double exact, double known, double tolerance, const std::string& what) {
  std::printf("  %s: exact %.4f, hashed %.4f +- %.4f, known %.3f\n", what.c_str(), exact, hashed.mean,
              hashed.standard_error, known);
  EXPECT_NEAR(exact, known, tolerance) << what;
  EXPECT_NEAR(hashed.mean, known, tolerance + 2 * hashed.standard_error) << what;
  EXPECT_NEAR(hashed.mean, exact, 4 * hashed.standard_error) << what << ": the hash is not even";
}

/// 1,000 flows between random hosts over 16 links.
TEST(BallsInBins, AThousandFlowsOverSixteenLinks) {
  constexpr u32 kFlows = 1000, kLinks = 16;
  const Sample hashed = over_seeds(20'000, [&](u64 seed) {
    SwitchHash hash(seed, 4096, "ecmp");
    std::vector<u32> load(kLinks, 0);
    for (u32 flow = 0; flow < kFlows; ++flow) {
      const u64 draw = hash64(seed, Stream::workload, flow);
      const u32 src = draw & 0xfff, dst = (draw >> 12) & 0xfff, entropy = (draw >> 24) & 0xfff;
      ++load[hash.index(data_packet(src, dst, 0, entropy), kLinks)];
    }
    return *std::max_element(load.begin(), load.end()) / (static_cast<double>(kFlows) / kLinks);
  });
  expect_same(hashed, expected_fullest(kFlows, kLinks) * kLinks / kFlows, 1.229, 0.005,
              "1,000 flows over 16 links, busiest / mean");
}

struct UplinkLoad {
  u32 uplinks, qps;
  double busiest;
};

void PrintTo(const UplinkLoad& v, std::ostream* out) { *out << v.qps << " QPs on " << v.uplinks << " uplinks"; }

class QueuePairs : public testing::TestWithParam<UplinkLoad> {};

TEST_P(QueuePairs, BusiestUplinkUnderEEcmp) {
  const UplinkLoad& v = GetParam();
  const u32 seeds = v.qps == 1 ? 100'000 : 20'000;
  const Sample hashed = over_seeds(seeds, [&](u64 seed) {
    SwitchHash hash(seed, 32, "e_ecmp");
    std::vector<u32> load(v.uplinks, 0);
    for (u32 nic = 0; nic < kNics; ++nic) {
      const u32 entropy = hash32(seed, Stream::source_port, (u64{nic} << 32) | (nic + kNics), u64{0}) & 0xfff;
      for (u32 qp = 0; qp < v.qps; ++qp) ++load[hash.index(data_packet(nic, nic + kNics, qp, entropy), v.uplinks)];
    }
    return static_cast<double>(*std::max_element(load.begin(), load.end())) / v.qps;
  });
  expect_same(hashed, expected_fullest(kNics * v.qps, v.uplinks) / v.qps, v.busiest, 0.01 * v.busiest,
              fmt::format("{} uplinks, Q = {}", v.uplinks, v.qps));
}

INSTANTIATE_TEST_SUITE_P(Uplinks, QueuePairs,
                         testing::Values(UplinkLoad{16, 1, 3.09}, UplinkLoad{16, 4, 1.97}, UplinkLoad{16, 16, 1.47},
                                         UplinkLoad{16, 32, 1.32}, UplinkLoad{18, 1, 2.96}, UplinkLoad{18, 4, 1.84},
                                         UplinkLoad{18, 16, 1.34}, UplinkLoad{18, 32, 1.20}),
                         [](const auto& v) { return fmt::format("uplinks_{}_qps_{}", v.param.uplinks, v.param.qps); });

/// 16 NICs of one rack send Q one-packet messages each, one per queue pair, to the other rack; the test counts bytes on
/// links.
TEST(BallsInBins, TheEnginesLinksCarryWhatTheHashSays) {
  constexpr u32 kQps = 16, kUplinks = 18, kWire = 4096 + 118;
  for (u64 seed = 1; seed <= 5; ++seed) {
    std::string toml = fmt::format(
        "[simulation]\nseed = {}\n[topology]\nkind = 'ai_zone'\nracks = 2\ngpus_per_rack = {}\nctsws = {}\n"
        "uplinks_per_rtsw = {}\n[routing]\npolicy = 'e_ecmp'\n[workload]\nqps_per_pair = {}\n",
        seed, kNics, kUplinks, kUplinks, kQps);
    for (u32 i = 0; i < kNics * kQps; ++i) {
      toml += fmt::format("[[message]]\nsrc = {}\ndst = {}\nbytes = 4096\n", i / kQps, kNics + i / kQps);
    }
    const World world = world_of(toml);
    Engine engine(world, {});
    while (engine.advance(kNever)) {
    }
    std::vector<LinkCounters> counters(world.fabric.links.size());
    engine.link_counters(counters);
    const NodeId rtsw = 2 * kNics;
    SwitchHash hash(seed, rtsw, "e_ecmp");
    std::vector<u64> expected(kUplinks, 0), carried(kUplinks);
    for (const Qp& qp : world.traffic.qps) {
      ++expected[hash.index(data_packet(qp.src, qp.dst, qp.receiver_number, qp.source_port_entropy), kUplinks)];
    }
    for (u32 up = 0; up < kUplinks; ++up) {
      carried[up] = counters[world.fabric.nodes[rtsw].first_link + kNics + up].sent_bytes;
      EXPECT_EQ(carried[up], expected[up] * kWire) << "seed " << seed << " uplink " << up;
    }
  }
}

struct Spread {
  const char* policy;
  const char* settings;
  u32 balls;  // per rank: packets that take one decision count as one ball
};

void PrintTo(const Spread& v, std::ostream* out) { *out << v.policy; }

class LeafSpine : public testing::TestWithParam<Spread> {};

/// 128 hosts in 8 racks under 16 spines: every host sends 8 packets, each of a queue pair of its own, to the next rack.
/// The packets on each rack's busiest uplink, against balls in bins.
TEST_P(LeafSpine, BusiestUplink) {
  constexpr u32 kRacks = 8, kUplinks = 16, kQps = 8, kWire = 4096 + 118, kSeeds = 40;
  const Spread& v = GetParam();
  double sum = 0, squares = 0;
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    std::string toml = fmt::format(
        "[simulation]\nseed = {}\n[topology]\nkind = 'ai_zone'\nracks = {}\ngpus_per_rack = {}\nctsws = {}\n"
        "uplinks_per_rtsw = {}\n[routing]\nrtsw = '{}'\n{}[workload]\nqps_per_pair = {}\n",
        seed, kRacks, kNics, kUplinks, kUplinks, v.policy, v.settings, kQps);
    for (u32 i = 0; i < kRacks * kNics * kQps; ++i) {
      const u32 src = i / kQps;
      toml += fmt::format("[[message]]\nsrc = {}\ndst = {}\nbytes = 4096\n", src, (src + kNics) % (kRacks * kNics));
    }
    const World world = world_of(toml);
    Engine engine(world, {});
    while (engine.advance(kNever)) {
    }
    std::vector<LinkCounters> counters(world.fabric.links.size());
    engine.link_counters(counters);
    for (u32 rack = 0; rack < kRacks; ++rack) {
      const LinkId up = world.fabric.nodes[kRacks * kNics + rack].first_link + kNics;
      u64 most = 0;
      for (u32 i = 0; i < kUplinks; ++i) most = std::max(most, counters[up + i].sent_bytes / kWire);  // without ACKs
      sum += static_cast<double>(most);
      squares += static_cast<double>(most * most);
    }
  }
  const u32 samples = kSeeds * kRacks;
  const double mean = sum / samples, error = std::sqrt((squares / samples - mean * mean) / samples);
  const double packets_per_ball = static_cast<double>(kNics * kQps) / v.balls;
  const double exact = expected_fullest(v.balls, kUplinks) * packets_per_ball;
  std::printf("  %s: exact %.3f, simulated %.3f +- %.3f packets\n", v.policy, exact, mean, error);
  EXPECT_NEAR(mean, exact, 3.5 * error);
}

INSTANTIATE_TEST_SUITE_P(Policies, LeafSpine,
                         testing::Values(Spread{"ecmp", "", 16}, Spread{"e_ecmp", "", 128}, Spread{"spray", "", 128},
                                         Spread{"flowlet", "[routing.flowlet]\nentries = 65536\n", 128}),
                         [](const auto& v) { return std::string(v.param.policy); });

}  // namespace
}  // namespace heddle::theory
