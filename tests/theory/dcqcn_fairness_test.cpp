// Two DCQCN flows share a bottleneck fairly in the long run: cuts are a share of the rate, increases are not, as for
// any AIMD (Chiu and Jain 1989; Zhu et al., SIGCOMM 2015). The second flow comes late, when the first has the link for
// itself. Jain's index of two rates is (a + b)^2 / (2 (a^2 + b^2)): 1 when equal, 1/2 when one has all.
//
// How soon depends on the cuts: each takes alpha / 2 off the difference too. With `paper` that is 6 % on average, fair
// within 40 ms; with `hpcc` and `connectx`, whose alpha counts periods of 1 us, about 0.1 %, and it takes some ten
// times longer. `connectx` is therefore only asked for 0.98 after 300 ms.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/acceptance/worlds.hpp"

namespace heddle::theory {
namespace {

using acceptance::world_of;

constexpr TimePs kMs = 1'000'000'000;

World two_flows(const std::string& preset, u64 seed) {
  return world_of("[simulation]\nseed = " + std::to_string(seed) +
                  "\nhorizon = '1 s'\n[topology]\nkind = 'star'\nhosts = 3\n[link]\nhost_rate = '40 Gb/s'\n"
                  "[ecn]\nkmin = '5 KB'\nkmax = '200 KB'\npmax = 0.01\nscale_with_rate = false\n"
                  "[roce]\nmtu = 1024\n[dcqcn]\nenabled = true\npreset = '" +
                  preset +
                  "'\n[[message]]\nsrc = 1\ndst = 0\nbytes = '10 GB'\n"
                  "[[message]]\nsrc = 2\ndst = 0\nbytes = '10 GB'\npost = '5 ms'\n");
}

double jain(double a, double b) { return (a + b) * (a + b) / (2 * (a * a + b * b)); }

/// Wire bytes that senders 1 and 2 have started by `until`.
std::pair<double, double> sent_by(Engine& engine, const World& world, TimePs until) {
  engine.advance(until);
  std::vector<LinkCounters> counters(world.fabric.links.size());
  engine.link_counters(counters);
  return {static_cast<double>(counters[world.fabric.nodes[1].first_link].sent_bytes),
          static_cast<double>(counters[world.fabric.nodes[2].first_link].sent_bytes)};
}

struct FairnessCase {
  const char* preset;
  TimePs settled_ps;
  double min_jain;
};

void PrintTo(const FairnessCase& c, std::ostream* out) { *out << c.preset; }

class DcqcnFairness : public testing::TestWithParam<FairnessCase> {};

TEST_P(DcqcnFairness, TwoFlowsShareEqually) {
  const FairnessCase& c = GetParam();
  for (u64 seed = 1; seed <= 3; ++seed) {
    const World world = two_flows(c.preset, seed);
    Engine engine(world, {});
    const auto before = sent_by(engine, world, c.settled_ps);
    const u64 cnps_before = engine.totals().cnps;
    const auto after = sent_by(engine, world, c.settled_ps + 80 * kMs);
    const double a = after.first - before.first, b = after.second - before.second;
    // In steady state alpha is the share of its periods that see a CNP.
    const double cnps_per_period =
        static_cast<double>(engine.totals().cnps - cnps_before) / 2 *
        static_cast<double>(std::get<DcqcnSettings>(world.congestion.control).alpha_period_ps) / (80.0 * kMs);
    const double utilisation = (a + b) / 400e6;  // 80 ms of 40 Gb/s
    std::printf("  %-8s seed %u: %5.2f and %5.2f Gb/s, Jain %.4f, link %.1f %%, a cut takes about %.2f %%\n", c.preset,
                static_cast<u32>(seed), a / 10e6, b / 10e6, jain(a, b), utilisation * 100, 50 * cnps_per_period);
    EXPECT_GE(jain(a, b), c.min_jain) << "seed " << seed;
    EXPECT_GE(utilisation, 0.99) << "seed " << seed;
    EXPECT_EQ(engine.totals().drops[1], 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, DcqcnFairness,
                         testing::Values(FairnessCase{"paper", 40 * kMs, 0.99}, FairnessCase{"hpcc", 300 * kMs, 0.99},
                                         FairnessCase{"connectx", 300 * kMs, 0.98}),
                         [](const auto& c) { return std::string(c.param.preset); });

}  // namespace
}  // namespace heddle::theory
