// The least time between two CNPs of a queue pair (MODEL.md, 8.5), at the one instant at which it matters
// whether "at least" is meant.
#include <gtest/gtest.h>

#include "kernels/base/units.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

constexpr u32 kPackets = 10;

/// CNPs that `kPackets` full packets at line rate cause with this gap, when every packet is marked. The packets of a
/// single QP arrive every ser(a packet without RETH).
u64 cnps_with_gap(TimePs cnp_gap_ps) {
  World w = oracle::star(2);
  w.fabric.ecn.push_back({.kmin_bytes = 0, .kmax_bytes = 1, .pmax_q32 = 0});  // beyond Kmax all are marked
  for (Link& link : w.fabric.links) {
    if (link.src >= w.fabric.endpoints) link.ecn = 0;
  }
  w.congestion.control = DcqcnSettings{.decrease_period_ps = 1'000'000'000,  // the sender stays at line rate
                                       .cnp_gap_ps = cnp_gap_ps};
  oracle::add_qp(w, 0, 1, {{kPackets * u64{w.roce.mtu_bytes}, 0}});
  Engine engine(w, {});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.marks, kPackets);
  return outcome.totals.cnps;
}

TEST(CnpGap, IsOverWhenExactlyThatTimeHasPassed) {
  const World w = oracle::star(2);
  const TimePs apart_ps = ser_ps(w.roce.mtu_bytes + w.roce.data_overhead_wire_bytes, oracle::kTinySpeed);
  EXPECT_EQ(cnps_with_gap(0), kPackets);
  EXPECT_EQ(cnps_with_gap(apart_ps), kPackets);
  EXPECT_EQ(cnps_with_gap(apart_ps + 1), kPackets / 2);
  EXPECT_EQ(cnps_with_gap(2 * apart_ps), kPackets / 2);
  EXPECT_EQ(cnps_with_gap(2 * apart_ps + 1), (kPackets + 2) / 3);
}

}  // namespace
}  // namespace heddle
