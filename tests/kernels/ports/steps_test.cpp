// The steps of a tick by ports on a star of three endpoints, whose switch has port e for endpoint e (kernels/ports).
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "kernels/instantiate/instantiate.hpp"
#include "kernels/team/shuffled.hpp"
#include "kernels/tick/by_ports.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

constexpr u32 kData = 1;  // the class

/// The state of a switch to which endpoints 0 and 1 have sent packets, as if a tick had ended at 1,000,000 ps.
class StarState {
 public:
  static constexpr TimePs kFrom = 1'000'000, kTo = 1'500'000;

  explicit StarState(u32 bin_packets) {
    World world = oracle::star(3);
    world.fabric.classes.pop_back();
    oracle::add_qp(world, 0, 2, {{1 << 20, 0}});
    instantiate(world, {}, model);
    bins = make_bins(v(), bin_packets, [&]<class T>(T*& array, u64 entries) {
      memory.emplace_back(entries * sizeof(T) / sizeof(u64) + 1);
      array = reinterpret_cast<T*>(memory.back().data());
    });
    memory.emplace_back(SwitchScratch::bytes(3, 2, 1, 4, 64) / 8 + 8);
    x.lay_out(memory.back().data(), 3, 2, 1, 4, 64);
  }
  View& v() { return model.view; }
  /// The switch's link to endpoint e: its port e.
  u32 port(u32 e) { return v().first_link[0] + e; }

  /// A packet of `frame_bytes` from endpoint `src` to endpoint 2 arrives at `t`.
  void arrive(u32 src, TimePs t, u32 frame_bytes = 1000) {
    const u32 q = v().egress[port(src)].reverse * 2 + kData;
    Queue& queue = v().queue[q];
    make_room(v(), q, queue, 1, 0);
    const u32 entry = queue.ring.at(queue.tail);
    v().pool.packet[entry] = make_packet({2, 0, src, 0, queue.tail, frame_bytes, kData, PacketKind::data, false});
    v().pool.time_ps[entry] = t;
    queue.sent = ++queue.tail;
    for (u32 parity = 0; parity < 2; ++parity) v().published[parity][q] = {queue.ring, queue.sent};
    v().port_active[0] |= u64{1} << src;
    v().port_next_ps[port(src)] = v().next_ps[0] = kFrom;
  }
  u32 step_1() {
    BinnedArrivals<ShuffledInStep>(team, v(), bins, x, 0, 0, 0).run(kFrom, kTo);
    return bins.status_of(0, 0);
  }
  bool tick() { return tick_switch_by_ports(team, v(), bins, x, 0, {kFrom, kTo, 0}); }
  bool pass() { return tick_switches(team, v(), x, 0, 1, {kFrom, kTo, 0}); }

  Model model;
  Bins bins;
  Tally tally;
  std::vector<Event> events;
  ShuffledInStep team{&tally, &events, 3};
  std::deque<std::vector<u64>> memory;
  SwitchScratch x{};
};

constexpr TimePs kAt = StarState::kFrom;

TEST(TickByPorts, ArrivalsWaitInTheBinOfTheirEgress) {
  StarState s(4);
  s.arrive(0, kAt + 10);
  s.arrive(1, kAt + 20, 500);
  s.arrive(1, StarState::kTo);  // not in this tick
  EXPECT_EQ(s.step_1(), kSwitchDue);
  const u32 q = s.port(2) * 2 + kData;
  ASSERT_EQ(s.bins.count[q], 2u);
  EXPECT_EQ(s.bins.bytes[q], 1500u);
  EXPECT_EQ(std::min(s.bins.key[q * 4], s.bins.key[q * 4 + 1]), u64{10} << 36 | u64{0} << 24);
  EXPECT_EQ(std::max(s.bins.key[q * 4], s.bins.key[q * 4 + 1]), u64{20} << 36 | u64{1} << 24);
  EXPECT_EQ(s.bins.taken[s.port(1) * 2 + kData], 1u);
  EXPECT_EQ(s.bins.arrived[s.port(0)], 1000u);
  EXPECT_EQ(s.bins.arrived[s.port(1)], 500u);
  EXPECT_EQ(s.v().queue[q].tail, 0u) << "nothing else changes";
}

TEST(TickByPorts, ASwitchWithoutArrivalsIsNotDue) {
  StarState s(4);
  s.arrive(0, StarState::kTo);
  s.v().port_next_ps[s.port(0)] = StarState::kTo;
  EXPECT_EQ(s.step_1(), 0u);
}

TEST(TickByPorts, AFullBinGoesTheGeneralWay) {
  StarState s(2);
  for (u32 i = 0; i < 2; ++i) s.arrive(0, kAt + 10 * i);
  EXPECT_EQ(s.step_1(), kSwitchDue);
  StarState full(2);
  for (u32 i = 0; i < 3; ++i) full.arrive(0, kAt + 10 * i);
  EXPECT_EQ(full.step_1(), kSwitchDue | kSwitchGeneral);
}

TEST(TickByPorts, AnAccountThatReachesXoffGoesTheGeneralWay) {
  StarState below(4), at(4), pausing(4);
  const u32 xoff = xoff_now(below.v(), below.v().ingress[below.port(0)]);
  for (StarState* s : {&below, &at, &pausing}) s->arrive(0, kAt + 10);
  below.v().account[below.port(0)].occupancy_bytes = xoff - 1001;
  at.v().account[at.port(0)].occupancy_bytes = xoff - 1000;
  pausing.v().account[pausing.port(0)].pausing = 1;
  EXPECT_EQ(below.step_1(), kSwitchDue);
  EXPECT_EQ(at.step_1(), kSwitchDue | kSwitchGeneral);
  EXPECT_EQ(pausing.step_1(), kSwitchDue | kSwitchGeneral);
}

/// Either way: three packets for endpoint 2, of which one does not start before the tick ends.
TEST(TickByPorts, LeavesWhatAPassLeaves) {
  StarState by_ports(4), by_pass(4), general(1);
  for (StarState* s : {&by_ports, &by_pass, &general}) {
    s->arrive(0, kAt + 10, 9000);  // takes 180,400 ps
    s->arrive(1, kAt + 10, 9000);
    s->arrive(1, kAt + 400'000, 9000);
    s->arrive(0, kAt + 450'000, 9000);
    EXPECT_TRUE(s == &by_pass ? s->pass() : s->tick());
  }
  for (StarState* s : {&by_ports, &general}) {
    for (u32 e = 0; e < 3; ++e) {
      const u32 link = s->port(e), q = link * 2 + kData;
      const Queue &mine = s->v().queue[q], &passed = by_pass.v().queue[q];
      EXPECT_EQ(mine.tail, passed.tail);
      EXPECT_EQ(mine.sent, passed.sent);
      EXPECT_EQ(mine.bytes, passed.bytes);
      for (u32 p = 0; p != mine.tail; ++p)
        EXPECT_EQ(s->v().pool.time_ps[mine.ring.at(p)], by_pass.v().pool.time_ps[passed.ring.at(p)]);
      EXPECT_EQ(s->v().account[link].occupancy_bytes, by_pass.v().account[link].occupancy_bytes);
      EXPECT_EQ(s->v().port_next_ps[link], by_pass.v().port_next_ps[link]);
      EXPECT_EQ(s->v().head[1][s->v().egress[link].reverse * 2 + kData],
                by_pass.v().head[1][by_pass.v().egress[link].reverse * 2 + kData]);
      EXPECT_EQ(s->v().link_tally[link].peak_queue_ps, by_pass.v().link_tally[link].peak_queue_ps);
    }
    EXPECT_EQ(s->v().next_ps[0], by_pass.v().next_ps[0]);
    EXPECT_EQ(s->v().port_active[0], by_pass.v().port_active[0]);
    EXPECT_EQ(s->v().port_published[0], by_pass.v().port_published[0]);
    EXPECT_EQ(s->bins.status_of(0, 0), 0u);
    for (u32 q = 0; q < 6; ++q) EXPECT_EQ(s->bins.count[q] | s->bins.bytes[q], 0u);
  }
  EXPECT_EQ(by_pass.v().queue[by_pass.port(2) * 2 + kData].sent, 3u);
}

}  // namespace
}  // namespace heddle
