// Tandem queues with fixed service: n packets over h store-and-forward hops of any rates and latencies, to the
// picosecond. Equal packets: packet k starts on hop j at
//   sum over i < j of (ser_i + lambda_i) + k * max over i <= j of ser_i,
// because the slowest hop so far spaces them and every later, faster hop finds them spaced. Packets of any size: the
// last arrival is the longest path through the grid (packet, hop), each cell weighing its serialisation (Glynn and
// Whitt, "Departures from many queues in series", 1991).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "kernels/base/units.hpp"
#include "kernels/state/packet.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/theory/imported.hpp"

namespace heddle::theory {
namespace {

using acceptance::kinds;
using acceptance::run_engine;
using acceptance::world_of;

constexpr u64 kGbps = 1'000'000'000;
constexpr u32 kWire = 4096 + 102;  // without RETH, so that all packets are equal

struct Line {
  std::string name;
  std::vector<Hop> hops;
};

void PrintTo(const Line& line, std::ostream* out) { *out << line.name; }

std::vector<TimePs> serialisations_ps(const std::vector<Hop>& hops, u32 wire_bytes) {
  std::vector<TimePs> ser;
  for (const Hop& hop : hops) ser.push_back(ser_ps(wire_bytes, ps_per_byte_q16_of(hop.bits_per_s)));
  return ser;
}

/// Start times of data packets, by (node, PSN).
std::map<std::pair<NodeId, u32>, TimePs> data_starts(const Outcome& outcome) {
  std::map<std::pair<NodeId, u32>, TimePs> starts;
  for (const Event& e : outcome.events) {
    const u64 psn = e.value & 0xffffff;
    if (e.value == packet_id(1, 0, static_cast<u32>(PacketKind::data), static_cast<u32>(psn))) {
      starts[{e.node, static_cast<u32>(psn)}] = e.time_ps;
    }
  }
  return starts;
}

class Tandem : public testing::TestWithParam<Line> {};

TEST_P(Tandem, EveryStartIsTheClosedForm) {
  const std::vector<Hop>& hops = GetParam().hops;
  const std::vector<TimePs> ser = serialisations_ps(hops, kWire), ack = serialisations_ps(hops, 106);
  for (const u32 packets : {1u, 2u, 16u, 100u}) {
    const World world = world_of(line_topology(hops) + "[roce]\nreth = 0\n[workload]\njitter_packets = 0\n" +
                                 "[[message]]\nsrc = 0\ndst = 1\nbytes = " + std::to_string(packets * 4096) + "\n");
    EngineOptions options;
    options.trace = true;
    options.recorded_kinds = kinds({EventKind::depart});
    const Outcome outcome = run_engine(world, options);
    ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    ASSERT_EQ(outcome.totals.pauses, 0u) << "the law is of queues without back-pressure";
    const auto starts = data_starts(outcome);
    ASSERT_EQ(starts.size(), packets * hops.size());
    TimePs pipeline_ps = 0, slowest_ps = 0, back_ps = 0;
    for (u32 j = 0; j < hops.size(); ++j) {
      slowest_ps = std::max(slowest_ps, ser[j]);
      for (u32 k = 0; k < packets; ++k) {
        ASSERT_EQ(starts.at({j == 0 ? 0 : j + 1, k}), pipeline_ps + k * slowest_ps) << "hop " << j << " packet " << k;
      }
      pipeline_ps += ser[j] + hops[j].latency_ps;
      back_ps += ack[j] + hops[j].latency_ps;
    }
    const TimePs received_ps = pipeline_ps + (packets - 1) * slowest_ps;
    EXPECT_EQ(outcome.messages[0].received_ps, received_ps);
    EXPECT_EQ(outcome.messages[0].acked_ps, received_ps + back_ps);
  }
}

INSTANTIATE_TEST_SUITE_P(
    SlowLink, Tandem,
    testing::Values(Line{"first", {{25 * kGbps, 700'001}, {400 * kGbps, 1'000'003}, {100 * kGbps, 500'000}}},
                    Line{"middle", {{400 * kGbps, 600'000}, {10 * kGbps, 2'345'678}, {200 * kGbps, 999'999}}},
                    Line{"last", {{800 * kGbps, 1'000'000}, {400 * kGbps, 1'000'000}, {40 * kGbps, 3'000'001}}},
                    Line{"ever_slower",
                         {{800 * kGbps, 700'000},
                          {400 * kGbps, 800'000},
                          {200 * kGbps, 900'000},
                          {100 * kGbps, 1'000'000},
                          {50 * kGbps, 1'100'000}}},
                    Line{"odd_rates",
                         {{333 * kGbps, 1'234'567},
                          {77 * kGbps, 765'432},
                          {91 * kGbps, 1'111'111},
                          {13 * kGbps, 654'321},
                          {389 * kGbps, 2'000'003},
                          {11 * kGbps, 500'009},
                          {400 * kGbps, 1'000'000}}},
                    Line{"twelve_equal_hops", std::vector<Hop>(12, Hop{400 * kGbps, 777'777})}),
    [](const auto& line) { return line.param.name; });

/// Heaviest path from (0, 0) to (packet, hop) by trying all: cells only go right or down.
TimePs heaviest_path_ps(const std::vector<std::vector<TimePs>>& ser, size_t packet, size_t hop) {
  TimePs before = 0;
  if (packet > 0) before = heaviest_path_ps(ser, packet - 1, hop);
  if (hop > 0) before = std::max(before, heaviest_path_ps(ser, packet, hop - 1));
  return before + ser[packet][hop];
}

TEST(Tandem, PacketsOfAnySizeTakeTheHeaviestPath) {
  std::mt19937_64 random(20'26);
  for (u32 trial = 0; trial < 30; ++trial) {
    std::vector<Hop> hops(2 + random() % 4);
    TimePs latency_ps = 0;
    for (Hop& hop : hops) {
      hop = {(1 + random() % 400) * kGbps, static_cast<TimePs>(500'000 + random() % 2'000'000)};
      latency_ps += hop.latency_ps;
    }
    std::vector<std::vector<TimePs>> ser;
    std::string messages;
    for (u32 k = 0; k < 7; ++k) {
      const u32 bytes = 1 + static_cast<u32>(random() % 4096);
      ser.push_back(serialisations_ps(hops, bytes + 118));  // one packet per message, with RETH
      messages += "[[message]]\nsrc = 0\ndst = 1\nbytes = " + std::to_string(bytes) + "\n";
    }
    const World world = world_of(line_topology(hops) + "[workload]\njitter_packets = 0\n" + messages);
    const Outcome outcome = run_engine(world);
    ASSERT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    for (u32 k = 0; k < 7; ++k) {
      EXPECT_EQ(outcome.messages[k].received_ps, latency_ps + heaviest_path_ps(ser, k, hops.size() - 1))
          << "trial " << trial << " packet " << k << " of " << hops.size() << " hops";
    }
  }
}

}  // namespace
}  // namespace heddle::theory
