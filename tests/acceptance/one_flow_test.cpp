// Must show 2: one flow alone has 97.57 % goodput, and its first arrival and completion equal the closed form to the
// picosecond over every topology.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/base/units.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

constexpr u32 kFullWire = 4096 + 102;       // IPv6
constexpr u32 kFirstWire = kFullWire + 16;  // RETH
constexpr u32 kAckWire = 106;

struct FlowCase {
  std::string name, topology;
  EndpointId src, dst;
  u64 links;
};

void PrintTo(const FlowCase& c, std::ostream* out) { *out << c.name; }

class OneFlow : public testing::TestWithParam<FlowCase> {};

/// Store and forward over equal links, no other traffic: the first packet is the largest, so it sets the pace on every
/// later link and the others follow it without a gap.
TEST_P(OneFlow, ArrivesAndCompletesAtTheClosedForm) {
  const FlowCase& c = GetParam();
  for (const u64 bytes : {u64{1}, u64{4096}, u64{4097}, u64{16 * 4096}, u64{17 * 4096}, u64{1'000'003}}) {
    const World world = world_of(one_flow(c.topology, c.src, c.dst, bytes));
    const std::vector<LinkId> path = some_path(world, c.src, c.dst), back = some_path(world, c.dst, c.src);
    ASSERT_EQ(path.size(), c.links);
    const u64 packets = (bytes + 4095) / 4096, rest = bytes - (packets - 1) * 4096;
    const u32 first_wire = packets == 1 ? static_cast<u32>(bytes) + 118 : kFirstWire;
    TimePs behind_first = 0;  // serialisation of all packets but the first
    if (packets > 1) {
      behind_first = static_cast<TimePs>(packets - 2) * ser_ps(kFullWire, kSpeed400G) + ser_ps(rest + 102, kSpeed400G);
    }
    const TimePs first_arrival = kPostPs + path_ps(world, path, first_wire);
    const TimePs received = first_arrival + behind_first;
    const TimePs acked = received + path_ps(world, back, kAckWire);

    EngineOptions options;
    options.trace = true;  // makes departures events
    options.recorded_kinds = kinds({EventKind::depart});
    const Outcome engine = run_engine(world, options);
    ASSERT_EQ(engine.reason, EndReason::complete) << engine.explanation;
    EXPECT_EQ(engine.messages[0].start_ps, kPostPs);
    EXPECT_EQ(engine.messages[0].received_ps, received) << bytes;
    EXPECT_EQ(engine.messages[0].acked_ps, acked) << bytes;
    EXPECT_EQ(engine.end_ps, acked);
    const Link& last = world.fabric.links[path.back()];
    const auto first = std::find_if(engine.events.begin(), engine.events.end(), [&](const Event& e) {
      return e.node == last.src && e.value == packet_id(c.dst, 0, 0, 0);
    });
    ASSERT_NE(first, engine.events.end());
    EXPECT_EQ(first->time_ps + ser_ps(first_wire, last.ps_per_byte_q16) + last.lambda_ps, first_arrival);
    EXPECT_EQ(simulate(world, {}).messages[0].acked_ps, acked) << "the oracle";
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OneFlow,
    testing::Values(FlowCase{"star", kSmallStar, 1, 4, 2}, FlowCase{"zone_in_rack", kSmallZone, 0, 3, 2},
                    FlowCase{"zone_cross_rack", kSmallZone, 1, 14, 4}, FlowCase{"pods_in_rack", kSmallPods, 0, 1, 2},
                    FlowCase{"pods_cross_rack", kSmallPods, 0, 2, 4}, FlowCase{"pods_cross_zone", kSmallPods, 3, 6, 6}),
    [](const auto& flow) { return flow.param.name; });

/// 4096 of 4198 B on the wire are payload (the 16 B of RETH once per message): 97.57 % of 50 GB/s.
TEST(OneFlowAlone, GoodputIsThePayloadShareOfTheWire) {
  constexpr u64 kPackets = 4096, kBytes = kPackets * 4096;
  const World world = world_of(one_flow(kSmallStar, 0, 1, kBytes));
  const MessageOutcome m = run_engine(world).messages[0];
  const TimePs first_bit_ps =
      m.start_ps + path_ps(world, some_path(world, 0, 1), kFirstWire) - ser_ps(kFirstWire, kSpeed400G);
  const TimePs wire_ps = m.received_ps - first_bit_ps;  // the receiver's link is busy for that long
  EXPECT_EQ(wire_ps, ser_ps(kPackets * kFullWire + 16, kSpeed400G));
  const double goodput = static_cast<double>(kBytes) / static_cast<double>(wire_ps) / (1 / 20.0);  // of 1 B per 20 ps
  EXPECT_NEAR(goodput, 0.9757, 0.00005);
}

/// Slower uplinks: the bottleneck spreads the packets, links behind it are idle in between.
TEST(OneFlowAlone, SlowUplinksSetThePace) {
  constexpr u64 kPackets = 40;
  const World world = world_of(one_flow(kSmallZone, 1, 14, kPackets * 4096) + "[link]\nrtsw_ctsw_rate = '100 Gb/s'\n");
  const TimePs first = path_ps(world, some_path(world, 1, 14), kFirstWire);
  // Both slow links follow the first packet, the largest, without a gap; the last packet, 16 B shorter, then finds the
  // faster downlink idle.
  const TimePs behind = static_cast<TimePs>(kPackets - 1) * ser_ps(kFullWire, 80 << 16);
  const TimePs last_link = ser_ps(kFirstWire, kSpeed400G) - ser_ps(kFullWire, kSpeed400G);
  EXPECT_EQ(run_engine(world).messages[0].received_ps, kPostPs + first + behind - last_link);
}

}  // namespace
}  // namespace heddle::acceptance
