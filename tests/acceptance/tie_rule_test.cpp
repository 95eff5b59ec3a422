// Must show 2: simultaneous arrivals pin the tie rule. Packets that reach a switch at one picosecond for one egress are
// ordered by (ingress port + h32(seed, tie, switch, t)) mod ports: a priority that rotates with time.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "kernels/base/units.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

constexpr NodeId kSwitch = kTieHosts;

TEST(TieRule, RotatesByTheHash) {
  std::set<u32> firsts;
  for (u64 seed = 1; seed <= 8; ++seed) {
    for (const TimePs post : {TimePs{0}, TimePs{123'456}, TimePs{50'000'000}}) {
      const World world = world_of(simultaneous(seed, post));
      const Link& up = world.fabric.links[world.fabric.nodes[0].first_link];
      const TimePs serialisation = ser_ps(4096 + 118, kSpeed400G);
      const TimePs at_switch = post + serialisation + up.lambda_ps;
      const u64 rotation = hash32(seed, Stream::tie, kSwitch, static_cast<u64>(at_switch));
      std::vector<u32> order;  // host h is on port h
      for (u32 priority = 0; priority < kTieHosts; ++priority) {
        for (u32 host = 0; host < kTieHosts; ++host) {
          if (host != kTieTarget && (host + rotation) % kTieHosts == priority) order.push_back(host);
        }
      }
      ASSERT_EQ(order.size(), kTieHosts - 1);
      firsts.insert(order.front());
      const LinkId down = world.fabric.links[world.fabric.nodes[kTieTarget].first_link].reverse;
      for (const Outcome& outcome : {run_engine(world), simulate(world, {})}) {
        for (u32 place = 0; place < order.size(); ++place) {
          const u32 message = order[place] - (order[place] > kTieTarget ? 1 : 0);
          EXPECT_EQ(outcome.messages[message].received_ps,
                    at_switch + (place + 1) * serialisation + world.fabric.links[down].lambda_ps)
              << "seed " << seed << " host " << order[place];
        }
      }
    }
  }
  EXPECT_GT(firsts.size(), 3u) << "no port is favoured";
}

}  // namespace
}  // namespace heddle::acceptance
