// The steps of a tick by ports on a star of three endpoints, whose switch has port e for endpoint e (kernels/ports).
#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

#include "kernels/engine/engine.hpp"
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

  /// `scratch_packets`: arrivals that a team serves at once.
  explicit StarState(u32 bin_packets, u32 scratch_packets = 64) {
    World world = oracle::star(3);
    world.fabric.classes.pop_back();
    oracle::add_qp(world, 0, 2, {{1 << 20, 0}});
    instantiate(world, {}, model);
    first_pool[1] = first_pool[2] = first_pool[3] = first_pool[4] = 1;
    v().first_pool = first_pool;
    v().pool_limits = &pool;
    v().pool_state = &pool_state;
    bins = make_bins(v(), bin_packets, [&]<class T>(T*& array, u64 entries) {
      memory.emplace_back(entries * sizeof(T) / sizeof(u64) + 1);
      array = reinterpret_cast<T*>(memory.back().data());
    });
    memory.emplace_back(SwitchScratch::bytes(3, 2, 1, 4, scratch_packets) / 8 + 8);
    x.lay_out(memory.back().data(), 3, 2, 1, 4, scratch_packets);
  }
  View& v() { return model.view; }
  /// The switch's link to endpoint e: its port e.
  u32 port(u32 e) { return v().first_link[0] + e; }

  /// All ports get a pool of so many bytes, and may take half of what is free.
  void give_pool(u64 bytes) {
    pool = {.shared_bytes = bytes, .limit_bytes = bytes};
    profile = v().ingress_profile[0];
    profile.dynamic = true;
    profile.alpha_q16 = 1 << 15;
    v().ingress_profile = &profile;
    for (u32 e = 0; e < 3; ++e) v().ingress[port(e)].pool = 0;
  }

  /// A packet of `frame_bytes` from endpoint `src` to endpoint `dst` arrives at `t`.
  void arrive(u32 src, TimePs t, u32 frame_bytes = 1000, u32 dst = 2) {
    const u32 q = v().egress[port(src)].reverse * 2 + kData;
    Queue& queue = v().queue[q];
    make_room(v(), q, queue, 1, 0);
    const u32 entry = queue.ring.at(queue.tail);
    v().pool.packet[entry] = make_packet({dst, 0, src, 0, queue.tail, frame_bytes, kData, PacketKind::data, false});
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
  u32 first_pool[5] = {};
  Pool pool;
  PoolState pool_state;
  IngressProfile profile;
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

TEST(TickByPorts, APoolThatMayOverflowGoesTheGeneralWay) {
  StarState fits(4), overflows(4);
  for (StarState* s : {&fits, &overflows}) {
    s->give_pool(1'000'000);
    s->pool_state.used_bytes = 998'000;
    s->arrive(0, kAt + 10);
    s->arrive(1, kAt + 10, s == &fits ? 1000 : 1001);
  }
  EXPECT_EQ(fits.step_1(), kSwitchDue) << "both fit: shared_used_bytes, which XOFF follows, is 0";
  EXPECT_EQ(overflows.step_1(), kSwitchDue | kSwitchGeneral);
}

TEST(TickByPorts, XoffFollowsTheEpochThatBeginsWithTheTick) {
  StarState before(4), begun(4);
  for (StarState* s : {&before, &begun}) {
    s->give_pool(1'000'000);
    s->pool_state.shared_used_bytes = 999'000;  // of what is free now, an account may take 500
    s->pool_state.free_bytes = 1'000'000;
    s->pool_state.epoch = kAt / s->v().settings.epoch_ps - (s == &before ? 1 : 0);
    s->arrive(0, kAt + 10);
  }
  EXPECT_EQ(before.step_1(), kSwitchDue | kSwitchGeneral);
  EXPECT_EQ(begun.step_1(), kSwitchDue);
}

TEST(TickByPorts, AQueueThatMayExceedItsLimitGoesTheGeneralWay) {
  StarState fits(4), exceeds(4);
  for (StarState* s : {&fits, &exceeds}) {
    s->v().settings.limited_mask = 1 << kData;
    s->v().settings.limit_bytes[kData] = s == &fits ? 2000 : 1999;
    s->arrive(0, kAt + 10);
    s->arrive(1, kAt + 10);
  }
  EXPECT_EQ(fits.step_1(), kSwitchDue);
  EXPECT_EQ(exceeds.step_1(), kSwitchDue | kSwitchGeneral);
}

/// Either way: four packets for endpoint 2, of which one does not start before the tick ends, and two for endpoint 1.
/// `turns` has room for four arrivals at once, and `general` for one in a bin.
TEST(TickByPorts, LeavesWhatAPassLeaves) {
  StarState by_pass(4), by_ports(4), turns(4, 4), general(1);
  for (StarState* s : {&by_pass, &by_ports, &turns, &general}) {
    s->give_pool(10'000'000);
    s->arrive(0, kAt + 10, 9000);  // takes 180,400 ps
    s->arrive(1, kAt + 10, 9000);
    s->arrive(1, kAt + 400'000, 9000);
    s->arrive(0, kAt + 450'000, 9000);
    s->arrive(2, kAt + 5, 300, 1);
    s->arrive(2, kAt + 70'000, 200, 1);
    EXPECT_TRUE(s == &by_pass ? s->pass() : s->tick());
  }
  for (StarState* s : {&by_ports, &turns, &general}) {
    const View &mine = s->v(), &passed = by_pass.v();
    for (u32 e = 0; e < 3; ++e) {
      const u32 link = s->port(e), q = link * 2 + kData;
      EXPECT_EQ(mine.queue[q].tail, passed.queue[q].tail);
      EXPECT_EQ(mine.queue[q].sent, passed.queue[q].sent);
      EXPECT_EQ(mine.queue[q].bytes, passed.queue[q].bytes);
      EXPECT_EQ(mine.published[1][q].sent, passed.published[1][q].sent);
      for (u32 p = 0; p != mine.queue[q].tail; ++p) {
        const u32 a = mine.queue[q].ring.at(p), b = passed.queue[q].ring.at(p);
        EXPECT_EQ(mine.pool.time_ps[a], passed.pool.time_ps[b]);
        EXPECT_EQ(mine.pool.packet[a].ingress_port(), passed.pool.packet[b].ingress_port());
      }
      EXPECT_EQ(mine.egress[link].free_ps, passed.egress[link].free_ps);
      EXPECT_EQ(mine.account[link].occupancy_bytes, passed.account[link].occupancy_bytes);
      EXPECT_EQ(mine.port_next_ps[link], passed.port_next_ps[link]);
      const u32 taken = mine.egress[link].reverse * 2 + kData;
      EXPECT_EQ(mine.head[1][taken], passed.head[1][taken]);
      EXPECT_EQ(mine.link_tally[link].peak_queue_ps, passed.link_tally[link].peak_queue_ps);
    }
    EXPECT_EQ(mine.next_ps[0], passed.next_ps[0]);
    EXPECT_EQ(mine.port_active[0], passed.port_active[0]);
    EXPECT_EQ(mine.port_published[0], passed.port_published[0]);
    EXPECT_EQ(s->pool_state.used_bytes, by_pass.pool_state.used_bytes);
    EXPECT_EQ(s->pool_state.shared_used_bytes, by_pass.pool_state.shared_used_bytes);
    EXPECT_EQ(s->tally.packet_hops, by_pass.tally.packet_hops);
    EXPECT_EQ(s->bins.status_of(0, 0), 0u);
    EXPECT_EQ(s->bins.arriving_bytes[0][0], 0u);
    for (u32 q = 0; q < 6; ++q) EXPECT_EQ(s->bins.count[q] | s->bins.bytes[q], 0u);
  }
  EXPECT_EQ(by_pass.v().queue[by_pass.port(2) * 2 + kData].sent, 3u);
  EXPECT_EQ(by_pass.v().queue[by_pass.port(1) * 2 + kData].sent, 2u);
}

/// A switch of three words of ports.
TEST(TickByPorts, OfManyPortsHasTheSameBits) {
  World world = oracle::star(150);
  world.fabric.classes.pop_back();
  for (u32 e = 0; e < 150; ++e) oracle::add_qp(world, e, (e + 37) % 150, {{400'000, 0}});
  const auto digest = [&](const EngineOptions& options) {
    Engine engine(world, options);
    while (engine.advance(kNever)) {
    }
    return std::pair(engine.outcome().digest, engine.state_digest());
  };
  for (u64 seed = 1; seed <= 3; ++seed) EXPECT_EQ(digest({.shuffled = true, .shuffle_seed = seed}), digest({}));
}

}  // namespace
}  // namespace heddle
