// M/D/1: Poisson arrivals, one fixed service time s, one FIFO (Khinchine 1932; Pollaczek 1930). At load rho
//   mean wait          E[W]  = s rho / (2 (1 - rho))
//   second moment      E[W2] = 2 E[W]^2 + rho s^2 / (3 (1 - rho))
//   finds it idle      P(W = 0) = 1 - rho
//
// 24 slow hosts (1G) and 8 fast ones (400G) on one switch, each posting one-packet messages to random others as a
// Poisson stream of the same load of its own link. Each slow host's downlink is then one M/D/1 queue: its arrivals are
// 8 thinned Poisson streams that 400 times faster NICs hardly delay (a NIC's own wait is at most 1e-5 s), and it is fed
// by nothing else but 0.7 % from slow NICs and ACKs that take 0.004 % of the link. PFC is off: the law is of an
// unlimited queue. A wait is counted at the switch, from arrival to start, to the picosecond.
//
// How many messages: successive waits are alike, so the mean of n of them has a standard error of about W sqrt(20 / n)
// at rho 0.7. The standard error printed is that of the queues' own means, 24 for each seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/units.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/theory/imported.hpp"

namespace heddle::theory {
namespace {

using acceptance::run_engine;
using acceptance::world_of;

constexpr u32 kFast = 8, kSlow = 24, kHosts = kFast + kSlow;
constexpr u64 kFastBps = 400'000'000'000, kSlowBps = 1'000'000'000;
constexpr u32 kPayload = 4096, kWire = kPayload + 102 + 16;

struct Case {
  u32 rho_percent;
  u32 seeds, messages_per_queue;
};

std::string star_of_two_speeds() {
  std::vector<CableSpec> cables;
  for (u32 h = 0; h < kHosts; ++h) cables.push_back({h, kHosts, h < kFast ? kFastBps : kSlowBps, 130'000'000});
  return imported_topology(kHosts + 1, {kHosts}, cables);
}

/// Every host posts with the same load, a share of its own link, so that the data into a slow host is rho of its link.
double load_for(double rho) {
  const double own_links_of_senders =
      kFast * static_cast<double>(kFastBps) + (kSlow - 1) * static_cast<double>(kSlowBps);
  return rho * kPayload / kWire * (kHosts - 1) * static_cast<double>(kSlowBps) / own_links_of_senders;
}

std::string poisson(double rho, u64 seed, u32 messages_per_queue, TimePs service_ps) {
  // Cables of 130 us and coarse grids allow long ticks: nothing here is sampled.
  return fmt::format(R"({}
[simulation]
seed = {}
slot = "{} ps"
epoch = "{} ps"
[class.lossless]
pfc = false
[ecn]
enabled = false
[roce]
ack_wire = 21
rto = "100 s"
[workload]
jitter_packets = 0
[[generator]]
kind = "poisson"
bytes = {}
load = {:.12f}
duration = "{} ps"
)",
                     star_of_two_speeds(), seed, 1 << 27, 1 << 27, kPayload, load_for(rho),
                     static_cast<TimePs>(messages_per_queue / rho * static_cast<double>(service_ps)));
}

struct Waits {
  double sum = 0, sum_of_squares = 0;
  u64 count = 0, idle = 0;
};

void add_waits(const World& world, const Outcome& outcome, std::vector<Waits>& queues) {
  const Fabric& fabric = world.fabric;
  for (MessageId m = 0; m < outcome.messages.size(); ++m) {
    const Qp& qp = world.traffic.qps[world.traffic.messages[m].qp];
    if (qp.src >= kFast || qp.dst < kFast) continue;
    const Link& up = fabric.links[fabric.nodes[qp.src].first_link];
    const Link& down = fabric.links[fabric.links[fabric.nodes[qp.dst].first_link].reverse];
    const TimePs arrived = outcome.messages[m].start_ps + ser_ps(kWire, up.ps_per_byte_q16) + up.lambda_ps;
    const TimePs started = outcome.messages[m].received_ps - down.lambda_ps - ser_ps(kWire, down.ps_per_byte_q16);
    const double wait = static_cast<double>(started - arrived);
    Waits& queue = queues[qp.dst - kFast];
    queue.sum += wait;
    queue.sum_of_squares += wait * wait;
    queue.count += 1;
    queue.idle += started == arrived ? 1 : 0;
  }
}

void PrintTo(const Case& c, std::ostream* out) { *out << "rho " << c.rho_percent << " %"; }

class Md1 : public testing::TestWithParam<Case> {};

TEST_P(Md1, MeanWaitIsPollaczekKhinchine) {
  const double rho = GetParam().rho_percent / 100.0;
  const TimePs service_ps = ser_ps(kWire, ps_per_byte_q16_of(kSlowBps));
  const double s = static_cast<double>(service_ps);
  std::vector<Waits> queues;  // one per slow host and seed: independent samples
  for (u32 seed = 1; seed <= GetParam().seeds; ++seed) {
    const World world = world_of(poisson(rho, seed, GetParam().messages_per_queue, service_ps));
    const Outcome outcome = run_engine(world);
    ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    std::vector<Waits> of_seed(kSlow);
    add_waits(world, outcome, of_seed);
    queues.insert(queues.end(), of_seed.begin(), of_seed.end());
  }
  Waits all;
  double variance = 0;
  for (const Waits& q : queues) {
    all.sum += q.sum;
    all.sum_of_squares += q.sum_of_squares;
    all.count += q.count;
    all.idle += q.idle;
  }
  const double n = static_cast<double>(all.count), mean = all.sum / n;
  for (const Waits& q : queues) variance += std::pow(q.sum / static_cast<double>(q.count) - mean, 2);
  const double error =
      std::sqrt(variance / static_cast<double>(queues.size() - 1) / static_cast<double>(queues.size()));
  const double law = s * rho / (2 * (1 - rho)), second = 2 * law * law + rho * s * s / (3 * (1 - rho));
  std::printf(
      "  rho %.1f: mean wait %.4f s, law %.4f s: %+.2f %% (standard error %.2f %%); second moment %+.2f %%; idle "
      "%.4f, law %.4f; %llu messages\n",
      rho, mean / s, law / s, 100 * (mean / law - 1), 100 * error / law, 100 * (all.sum_of_squares / n / second - 1),
      static_cast<double>(all.idle) / n, 1 - rho, static_cast<unsigned long long>(all.count));
  EXPECT_NEAR(mean / law, 1, 0.01);
  EXPECT_LT(error / law, 0.005) << "too few messages for 1 %";
  EXPECT_NEAR(all.sum_of_squares / n / second, 1, 0.03);
  EXPECT_NEAR(static_cast<double>(all.idle) / n, 1 - rho, 0.003);
}

INSTANTIATE_TEST_SUITE_P(Load, Md1, testing::Values(Case{30, 1, 40'000}, Case{50, 1, 40'000}, Case{70, 3, 40'000}),
                         [](const auto& load) { return "rho_" + std::to_string(load.param.rho_percent); });

}  // namespace
}  // namespace heddle::theory
