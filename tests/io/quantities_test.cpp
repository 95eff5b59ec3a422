// Closed forms: ideal completion times, bandwidth factors, histogram bins.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/results/bandwidth.hpp"
#include "io/results/ideal.hpp"
#include "io/results/log_bins.hpp"
#include "kernels/base/units.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

/// Last arrival of a train over links of these speeds, packet by packet: what the closed form must equal.
TimePs simulated_ps(const World& world, const std::vector<LinkId>& links, u64 bytes) {
  const RoceSettings& roce = world.roce;
  std::vector<TimePs> free(links.size(), 0);
  TimePs arrival = 0;
  bool first = true;
  for (u64 left = bytes; left > 0;) {
    const u64 payload = std::min<u64>(left, roce.mtu_bytes);
    const u64 wire = payload + roce.data_overhead_wire_bytes + (first ? roce.reth_bytes : 0);
    arrival = 0;
    for (size_t l = 0; l < links.size(); ++l) {
      const Link& link = world.fabric.links[links[l]];
      free[l] = std::max(free[l], arrival) + ser_ps(wire, link.ps_per_byte_q16);
      arrival = free[l] + link.lambda_ps;
    }
    left -= payload;
    first = false;
  }
  return arrival;
}

TEST(Ideal, EqualsTheTrainPacketByPacket) {
  World world = small_world();
  world.roce.posting_delay_ps = 123;
  for (const u64 up_gbps : {100, 400, 800}) {
    for (const u64 down_gbps : {100, 400}) {
      world.fabric.links[0].ps_per_byte_q16 = ps_per_byte_q16_of(up_gbps * 1'000'000'000);
      world.fabric.links[5].ps_per_byte_q16 = ps_per_byte_q16_of(down_gbps * 1'000'000'000);
      for (const u64 bytes : {1u, 4095u, 4096u, 4097u, 8192u, 8193u, 12'289u, 100'000u, 4096u * 100}) {
        world.traffic.messages[0].bytes = bytes;
        const Link& a = world.fabric.links[1];
        const Link& b = world.fabric.links[4];
        const TimePs back = a.lambda_ps + b.lambda_ps + ser_ps(world.roce.ack_wire_bytes, a.ps_per_byte_q16) +
                            ser_ps(world.roce.ack_wire_bytes, b.ps_per_byte_q16);
        EXPECT_EQ(ideal_completion_ps(world, 0), 123 + simulated_ps(world, {0, 5}, bytes) + back)
            << bytes << " B, " << up_gbps << " then " << down_gbps << " Gb/s";
      }
    }
  }
}

/// Two full segments and one of 104 B over two links of 400G: the last one waits for the second at the second link.
TEST(Ideal, OfTcpIsThatOfItsSegments) {
  World world = small_world();
  world.fabric.classes[world.traffic.qps[0].traffic_class].transport = Transport::tcp;
  world.traffic.messages[0].bytes = 2 * 1448 + 104;
  TimePs expected_ps = (3 * 1538 + 194) * 20 + 2 * 90 * 20;
  for (const LinkId l : {0u, 5u, 1u, 4u}) {
    world.fabric.links[l].ps_per_byte_q16 = ps_per_byte_q16_of(400'000'000'000);
    expected_ps += world.fabric.links[l].lambda_ps;
  }
  EXPECT_EQ(ideal_completion_ps(world, 0), world.roce.posting_delay_ps + expected_ps);
}

TEST(Bandwidth, FactorsOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_reduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_gather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_to_all, 4), 0.75);
  EXPECT_EQ(collective_name(CollectiveKind::all_to_all), "all_to_all");
}

TEST(Bandwidth, UnfinishedHasNone) {
  const World world = small_world();
  Outcome outcome = small_outcome();
  outcome.collectives[0].ranks_finished = 3;
  const CollectiveTiming timing = collective_timing(world, outcome, 0);
  EXPECT_EQ(timing.start_ps, 12'000'000);
  EXPECT_EQ(timing.finish_ps, -1);
  EXPECT_EQ(timing.algbw_GBps, 0);
}

TEST(LogBins, EdgesAndBinsAgree) {
  EXPECT_EQ(LogBins::bin_of(-5), 0u);
  for (u32 bin = 1; bin < LogBins::kBins; ++bin) {
    EXPECT_GT(LogBins::lower_edge(bin), LogBins::lower_edge(bin - 1));
    EXPECT_EQ(LogBins::bin_of(LogBins::lower_edge(bin)), bin);
    EXPECT_EQ(LogBins::bin_of(LogBins::lower_edge(bin) - 1), bin - 1);
  }
  EXPECT_LT(LogBins::bin_of(INT64_MAX), LogBins::kBins);
}

}  // namespace
}  // namespace heddle::test
