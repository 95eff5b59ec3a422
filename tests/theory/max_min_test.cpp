// Shares of a bottleneck when PFC alone holds back greedy senders (DCQCN off).
//
// One switch: the egress is one FIFO, so a sender's share is its share of the queue, and what bounds that is the
// ingress account, equal for all: XOFF. Senders that could send more stand at XOFF and get equal shares; one whose link
// is slower than that never reaches XOFF and gets all it sends. That is max-min fairness, water-filling, by ingress
// port.
//
// Several switches: PFC pauses a link, not a flow. A trunk counts as one port whatever number of flows it carries, so
// along a parking lot every switch halves: k hops away a flow gets 2^-k where flow-level max-min gives 1/n. This is
// what fabrics do, not an error of the model (Zhu et al., SIGCOMM 2015, section 2, shows it on switches).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/acceptance/worlds.hpp"
#include "tests/theory/imported.hpp"

namespace heddle::theory {
namespace {

using acceptance::world_of;

constexpr u64 kGbps = 1'000'000'000;
constexpr TimePs kSettledPs = 1'000'000'000, kEndPs = 4'000'000'000;
constexpr double kWireBytes = (kEndPs - kSettledPs) / 20.0;  // bytes of a 400G link meanwhile

/// Static thresholds: every ingress pauses at 400 KB.
const char* const kModel =
    "[simulation]\nhorizon = '4 ms'\n"
    "[buffer.rtsw]\nkind = 'static'\nbytes = '2 MB'\nxoff = '400 KB'\n"
    "[buffer.ctsw]\nkind = 'static'\nbytes = '2 MB'\nxoff = '400 KB'\n";

std::string greedy(u32 src, u32 dst) {
  return "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(dst) + "\nbytes = '1 GB'\n";
}

/// Shares of a 400G link that each sender got between 1 and 4 ms. Nothing may be lost.
std::vector<double> shares(const World& world, const std::vector<EndpointId>& senders) {
  Engine engine(world, {});
  std::vector<LinkCounters> before(world.fabric.links.size()), after(before.size());
  engine.advance(kSettledPs);
  engine.link_counters(before);
  engine.advance(kEndPs);
  engine.link_counters(after);
  const Totals totals = engine.totals();
  EXPECT_GT(totals.pauses, 0u) << "not a bottleneck";
  EXPECT_EQ(totals.drops[0] + totals.drops[1] + totals.drops[2], 0u);
  std::vector<double> result;
  for (const EndpointId e : senders) {
    const LinkId nic = world.fabric.nodes[e].first_link;
    result.push_back(static_cast<double>(after[nic].sent_bytes - before[nic].sent_bytes) / kWireBytes);
    std::printf("  sender %u: %.4f of the bottleneck\n", e, result.back());
  }
  return result;
}

class Senders : public testing::TestWithParam<u32> {};

/// Shares are equal within the bytes that an account holds up to XOFF: 400 KB of the 150 MB that pass meanwhile.
TEST_P(Senders, EqualOnesShareOneSwitchEqually) {
  const u32 n = GetParam();
  std::string toml = std::string(kModel) + "[topology]\nkind = 'star'\nhosts = " + std::to_string(n + 1) + "\n";
  std::vector<EndpointId> senders(n);
  std::iota(senders.begin(), senders.end(), 1u);
  for (const EndpointId e : senders) toml += greedy(e, 0);
  const std::vector<double> got = shares(world_of(toml), senders);
  EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), 1.0, 0.005) << "the bottleneck never idles";
  for (const double share : got) EXPECT_NEAR(share, 1.0 / n, 400e3 / kWireBytes);
}

INSTANTIATE_TEST_SUITE_P(Number, Senders, testing::Values(2, 3, 5, 8, 16));

/// Water-filling: links of 25, 100, 400 and 400G into 400G: 25 and 100 keep theirs, the others share the remaining 275.
TEST(MaxMin, SlowLinksKeepTheirsTheOthersShareTheRest) {
  const std::string fabric = imported_topology(6, {5},
                                               {{0, 5, 400 * kGbps, 1'000'000},
                                                {1, 5, 25 * kGbps, 1'000'000},
                                                {2, 5, 100 * kGbps, 1'000'000},
                                                {3, 5, 400 * kGbps, 1'000'000},
                                                {4, 5, 400 * kGbps, 1'000'000}});
  const World world = world_of(kModel + fabric + greedy(1, 0) + greedy(2, 0) + greedy(3, 0) + greedy(4, 0));
  const std::vector<double> got = shares(world, {1, 2, 3, 4});
  const double max_min[] = {25.0 / 400, 100.0 / 400, 137.5 / 400, 137.5 / 400};
  for (u32 i = 0; i < 4; ++i) EXPECT_NEAR(got[i], max_min[i], 0.01 * max_min[i] + 0.003) << i;
}

/// Three switches in a row, two senders at the far end, one at the middle, one beside the receiver. Flow-level max-min
/// would give 1/4 each; PFC halves by port: 1/2 to the near one, 1/4 to the middle, 1/8 to each of the far two.
TEST(MaxMin, AParkingLotHalvesAtEverySwitch) {
  const TimePs cable = 1'000'000;
  const std::string fabric = imported_topology(8, {5, 6, 7},
                                               {{0, 7, 400 * kGbps, cable},
                                                {1, 7, 400 * kGbps, cable},
                                                {2, 6, 400 * kGbps, cable},
                                                {3, 5, 400 * kGbps, cable},
                                                {4, 5, 400 * kGbps, cable},
                                                {5, 6, 400 * kGbps, cable},
                                                {6, 7, 400 * kGbps, cable}});
  const World world = world_of(kModel + fabric + greedy(1, 0) + greedy(2, 0) + greedy(3, 0) + greedy(4, 0));
  const std::vector<double> got = shares(world, {1, 2, 3, 4});
  const double by_port[] = {0.5, 0.25, 0.125, 0.125};
  for (u32 i = 0; i < 4; ++i) EXPECT_NEAR(got[i], by_port[i], 0.02 * by_port[i]) << i;
}

}  // namespace
}  // namespace heddle::theory
