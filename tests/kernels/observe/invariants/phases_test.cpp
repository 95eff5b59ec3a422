// Inside a pass: what a phase must leave behind, and the report when it does not. The switch has two ports, two classes
// (the second with PFC) and three arrivals: two for port 0, one for port 1.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "kernels/fabric/switch_phases.hpp"
#include "kernels/observe/invariants/phases.hpp"
#include "kernels/team/serial.hpp"
#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

constexpr TimePs kFrom = 7'000;
constexpr u32 kFrameBytes = 1'000;

class Phases : public testing::Test {
 protected:
  Phases() {
    Settings& s = view.settings;
    s.classes = 2;
    s.pfc_classes = 1;
    view.switches = 1;
    view.node_id = &node_id;
    view.link_node = link_node;
    view.first_link = first_link;
    view.broken_phase = &record;
    view.pool.packet = packets;
    view.queue = queues;
    view.egress = egress;
    view.ingress = ingress;
    view.account = accounts;
    for (u32 p = 0; p < 2; ++p) {
      view.head[p] = heads[p];
      view.published[p] = published[p];
      egress[p].reverse = 2 + p;
      ingress[p].profile = 0;
      accounts[p].occupancy_bytes = 5'000;
      x.list[p] = p;
    }
    *x.listed = *x.sources = 2;
    for (Packet& packet : packets) packet = make_packet({0, 0, 1, 0, 0, kFrameBytes, 1, PacketKind::data, false});
    // Queue 1 = (port 0, class 1): arrivals 0 and 2; queue 3 = (port 1, class 1): arrival 1.
    for (u32 q = 0; q < 4; ++q) queues[q].ring = Ring{4 * q, 3};
    const u32 offsets[] = {0, 0, 2, 2, 3};
    for (u32 q = 0; q < 5; ++q) x.run[q] = offsets[q];
    x.spare[0] = u64{10} << 36 | 0;
    x.spare[1] = u64{20} << 36 | 2;
    x.spare[2] = u64{15} << 36 | 1;
    queues[1].tail = 2;
    queues[3].tail = 1;
    queues[1].bytes = 2 * kFrameBytes;
    queues[3].bytes = kFrameBytes;
    published[0][2 * 2 + 1].sent = 2;  // sends that port 0 sees on its wire
    heads[1][2 * 2 + 1] = 2;
  }

  static SwitchScratch make_scratch(std::vector<u64>& memory) {
    SwitchScratch scratch{};
    memory.resize(SwitchScratch::bytes(2, 2, 1, 2, 16) / 8 + 8);
    scratch.lay_out(memory.data(), 2, 2, 1, 2, 16);
    return scratch;
  }
  SwitchPhases<Serial> phases() { return {context.emplace(team, view, x, 0, 1, 0), kFrom}; }
  /// Returns the record as text.
  std::string said() {
    Model model;
    const TickDone tick;
    const std::vector<FifoPosition> none;
    return check_phases({model, view, tick, Tally{}, none, none});
  }

  Tally tally;
  Serial team{&tally};
  View view;
  NodeId node_id = 42;
  u32 link_node[4] = {}, first_link[2] = {0, 2};
  BrokenPhase record;
  Packet packets[16];
  Queue queues[8];
  Egress egress[2];
  IngressPort ingress[2];
  Account accounts[2];
  u32 heads[2][8] = {};
  Published published[2][8];
  std::vector<u64> memory;
  SwitchScratch x = make_scratch(memory);
  std::optional<SwitchContext<Serial>> context;
};

TEST_F(Phases, AreSilentWhenAllIsWell) {
  EXPECT_TRUE(phases().ordered(3));
  EXPECT_TRUE(phases().enqueued());
  EXPECT_TRUE(phases().served());
  EXPECT_TRUE(phases().taken(0));
  const u32 counts[] = {0, 2, 0, 1, 0};  // the last count: dropped
  for (u32 q = 0; q < 5; ++q) x.counted[q] = counts[q];
  EXPECT_TRUE(phases().routed(3));
  x.counted[1] = 1;
  x.counted[4] = 1;
  EXPECT_TRUE(phases().routed(3));
  EXPECT_EQ(said(), "");
}

TEST_F(Phases, EveryArrivalIsRouted) {
  x.counted[1] = x.counted[3] = 2;
  EXPECT_FALSE(phases().routed(3));
  EXPECT_FOUND(said(), "at node 42, in the pass from 7000 ps: 4 packets were routed to egress queues");
}

TEST_F(Phases, EveryArrivalIsOrderedOnce) {
  x.spare[2] = u64{15} << 36 | 2;
  EXPECT_FALSE(phases().ordered(3));
  EXPECT_FOUND(said(), "some are missing or there twice");
}

TEST_F(Phases, ArrivalsAreInOrderOfTime) {
  x.spare[1] = u64{9} << 36 | 2;
  EXPECT_FALSE(phases().ordered(3));
  EXPECT_FOUND(said(), "9 ps into the pass an arrival is ordered behind a later one of its egress queue (10)");
}

TEST_F(Phases, WhatIsOrderedIsEnqueued) {
  --queues[1].tail;
  EXPECT_FALSE(phases().enqueued());
  EXPECT_FOUND(said(), "1 packets were added to an egress queue, not as many as were ordered for it (2)");
}

TEST_F(Phases, QueuesCountTheirBytes) {
  queues[3].bytes -= 1;
  EXPECT_FALSE(phases().enqueued());
  EXPECT_FOUND(said(), "999 bytes are counted by an egress queue, not what its packets hold (1000)");
}

TEST_F(Phases, NoMoreStartsThanWaits) {
  queues[1].sent = 4;
  EXPECT_FALSE(phases().served());
  EXPECT_FOUND(said(), "2 more packets were started by an egress queue than waited in it");
}

TEST_F(Phases, NoMoreIsReleasedThanHeld) {
  x.arrived[1] = 1'000;
  x.released[1] = 6'001;
  EXPECT_FALSE(phases().served());
  EXPECT_FOUND(said(), "6001 bytes were released from a PFC account, more than it held (6000)");
}

TEST_F(Phases, NoMoreIsTakenThanIsOnTheWire) {
  heads[1][2 * 2 + 1] = 3;
  EXPECT_FALSE(phases().taken(0));
  EXPECT_FOUND(said(), "3 packets were taken off an ingress wire, more than were on it (2)");
}

TEST_F(Phases, TheFirstOneIsKept) {
  report_broken(view, PhaseRule::clock_forward, 0, kFrom, 5, 6);
  report_broken(view, PhaseRule::start_in_order, 0, kFrom, 7, 8);
  EXPECT_FOUND(said(), "5 ps is the instant that the pass turns to, back from a later one (6)");
  record.rule = static_cast<u32>(PhaseRule::start_in_order);
  EXPECT_FOUND(said(), "ps is when the NIC starts a packet, before its transmitter is free");
}

TEST_F(Phases, TheCheckerReadsTheRecord) {
  CheckedRun run(incast_world());
  EXPECT_FOUND(run.spoil([](CheckedRun& r) {
    report_broken(r.model.view, PhaseRule::bytes_released, 0, r.done.from_ps, 2, 1);
    return true;
  }),
               "bytes were released from a PFC account");
}

}  // namespace
}  // namespace heddle
