// One port in phases, worked by hand (MODEL.md, 5.1 to 5.3, 11.4). A byte takes 1,000 ps. The window has 800,000 ps,
// the transmitter is busy until 30,000:
//
//   packet        arrives   starts    ends      why
//   w, 100 B      before    30,000    150,000   it waited
//   a, 200 B      10,000    234,000   454,000   behind the control packet
//   ctl, 64 B     100,000   150,000   234,000   class 0 goes first
//   b, 340 B      400,000   454,000   814,000
//   c, 310 B      790,000   not in this window
#include "kernels/fabric/phased_service.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "kernels/fabric/switch_accounts.hpp"
#include "kernels/team/shuffled.hpp"

namespace heddle {
namespace {

class NeverDeclines : public ShuffledInStep {
 public:
  using ShuffledInStep::ShuffledInStep;
  bool declines() const { return false; }
};

class PhasedServiceTest : public testing::Test {
 protected:
  static constexpr TimePs kFrom = 1'000'000, kWindow = 800'000, kLambda = 5'000;
  static constexpr u32 kGap = 20, kPorts = 3;

  PhasedServiceTest() {
    Settings& s = view.settings;
    s.classes = 2;
    s.pfc_classes = 1;
    s.pfc_class[0] = 1;
    s.ecn_mask = 2;
    s.wire_gap_bytes = kGap;
    view.nodes = view.switches = 1;
    view.node_id = &node_id;
    view.first_link = first_link;
    view.link_node = link_node.data();
    view.ecn = &ecn;
    view.pool.packet = packets.data();
    view.pool.time_ps = times.data();
    view.queue = queues.data();
    view.published[0] = published[0].data();
    view.published[1] = published[1].data();
    view.egress = egress.data();
    view.ingress = ingress.data();
    view.pause_reader = pauses.data();
    view.pause_tail[0] = view.pause_tail[1] = pause_tail.data();
    view.link_tally = tallies.data();
    view.wake_ps[0] = wake_ps[0].data();
    view.wake_ps[1] = wake_ps[1].data();
    for (u32 i = 0; i < kPorts; ++i) {
      x.list[i] = i;
      x.place[i] = i + 1;
    }
    *x.listed = 1;  // port 0 is served
    Egress& port = egress[0];
    port = {.free_ps = kFrom + 30'000, .lambda_ps = kLambda, .ps_per_byte_q16 = 1000u << 16, .ecn = 0};
    port.max_held_bytes = 340;
    port.dst_node = 1;
    port.reverse = 1;
    tallies[0].peak_queue_bytes = 320;
    for (u32 q = 0; q < 2; ++q) queues[q].ring = Ring{8 * q, 7};
    wait(100, 2);
    arrive(0, 100'000, 64, 1);
    arrive(1, 10'000, 200, 1);
    arrive(1, 400'000, 340, 2);
    arrive(1, 790'000, 310, 2);
  }

  /// A packet of class 1 waited before the window.
  void wait(u32 frame_bytes, u32 ingress_port) {
    Queue& queue = queues[1];
    const Packet packet = make_packet({0, 0, 0, 0, 0, frame_bytes, 1, PacketKind::data, false});
    packets[queue.ring.at(queue.tail++)] = packet;
    queue.bytes += frame_bytes;
    kept.push_back(ingress_port << kBriefBits | brief_of(packet));
  }
  void arrive(u32 c, u32 time, u32 frame_bytes, u32 ingress_port) {
    const PacketKind kind = c == 0 ? PacketKind::ack : PacketKind::data;
    const Packet packet = make_packet({0, 0, 0, 0, 0, frame_bytes, c, kind, false});
    arrivals[c].push_back(u64{time} << 36 | u64{ingress_port} << 24 | brief_of(packet));
    arrived_bytes[c] += frame_bytes;
    came[c].push_back(packet);
  }

  /// Serves port 0; returns whether it went through the phases.
  bool serve(u32 kept_packets = ~0u) {
    u32 k = 0;
    for (u32 c = 0; c < 2; ++c) {
      Queue& queue = queues[c];
      x.run[c] = k;
      x.fresh[c] = queue.tail;
      for (u32 j = 0; j < arrivals[c].size(); ++j, ++k) {
        x.spare[k] = arrivals[c][j];
        x.before[k] = came[c][j].frame_bytes();
        packets[queue.ring.at(queue.tail++)] = came[c][j];
      }
      queue.bytes += arrived_bytes[c];
    }
    x.run[2] = k;
    x.kept_run[0] = x.kept_run[1] = 0;
    x.kept_run[2] = std::min<u32>(kept_packets, static_cast<u32>(kept.size()));
    for (u32 n = 0; n < x.kept_run[2]; ++n) x.queue_of[n] = kept[n];
    context.emplace(team, view, x, 0, 1, 0);
    accounts.emplace(*context, kFrom);
    service.emplace(*context, *accounts, kFrom);
    service->run(kFrom + kWindow);
    return service->ran(0);
  }
  TimePs time_of(u32 c, u32 position) const { return times[queues[c].ring.at(position)] - kFrom; }
  bool marked(u32 position) const { return packets[queues[1].ring.at(position)].ecn(); }

  Tally tally;
  std::vector<Event> events;
  NeverDeclines team{&tally, &events, 7};
  View view;
  NodeId node_id = 42;
  u32 first_link[2] = {0, kPorts};
  std::array<u32, kPorts> link_node{};
  EcnProfile ecn{250, 299, 0};
  std::array<Packet, 16> packets{};
  std::array<TimePs, 16> times{};
  std::array<Queue, 2 * kPorts> queues{};
  std::array<Published, 2 * kPorts> published[2];
  std::array<Egress, kPorts> egress{};
  std::array<IngressPort, kPorts> ingress{};
  std::array<PauseReader, kPorts> pauses{};
  std::array<u32, kPorts> pause_tail{};
  std::array<LinkTally, kPorts> tallies{};
  std::array<TimePs, 2> wake_ps[2] = {{kNever, kNever}, {kNever, kNever}};
  std::vector<u32> kept;
  std::vector<u64> arrivals[2];
  std::vector<Packet> came[2];
  u32 arrived_bytes[2] = {};
  std::vector<u64> memory = std::vector<u64>(SwitchScratch::bytes(kPorts, 2, 1, 2, 16) / 8 + 8);
  SwitchScratch x = [this] {
    SwitchScratch scratch{};
    scratch.lay_out(memory.data(), kPorts, 2, 1, 2, 16);
    return scratch;
  }();
  std::optional<SwitchContext<NeverDeclines>> context;
  std::optional<SwitchAccounts<NeverDeclines>> accounts;
  std::optional<PhasedService<NeverDeclines, SwitchAccounts<NeverDeclines>>> service;
};

TEST_F(PhasedServiceTest, PacketsArriveBehindTheWireWhenTheyHaveStarted) {
  ASSERT_TRUE(serve());
  EXPECT_EQ(time_of(1, 0), 150'000 + kLambda);
  EXPECT_EQ(time_of(0, 0), 234'000 + kLambda);
  EXPECT_EQ(time_of(1, 1), 454'000 + kLambda);
  EXPECT_EQ(time_of(1, 2), 814'000 + kLambda);
  EXPECT_EQ(time_of(1, 3), 790'000) << "it waits: when it arrived";
}

TEST_F(PhasedServiceTest, IngressAccountsGetBackWhatStarts) {
  ASSERT_TRUE(serve());
  EXPECT_EQ(x.released[0], 0u);
  EXPECT_EQ(x.released[1], 200u) << "control packets are in no account";
  EXPECT_EQ(x.released[2], 440u);
}

/// At the start of w its queue holds 300 B, of a 200, of b 340.
TEST_F(PhasedServiceTest, MarksByWhatIsInTheQueueAtTheStart) {
  ASSERT_TRUE(serve());
  EXPECT_TRUE(marked(0));
  EXPECT_FALSE(marked(1));
  EXPECT_TRUE(marked(2));
  EXPECT_FALSE(marked(3)) << "it does not start";
  EXPECT_EQ(tallies[0].marks, 2u);
}

/// Both classes hold 300, 264, 340 and 310 B after the arrivals of 10,000, 100,000, 400,000 and 790,000.
TEST_F(PhasedServiceTest, FindsThePeak) {
  ASSERT_TRUE(serve());
  service->finish(0, 0);
  EXPECT_EQ(tallies[0].peak_queue_bytes, 340u);
  EXPECT_EQ(tallies[0].peak_queue_ps, kFrom + 400'000);
}

TEST_F(PhasedServiceTest, AnEarlierPeakStays) {
  tallies[0].peak_queue_bytes = 340;
  tallies[0].peak_queue_ps = 5;
  ASSERT_TRUE(serve());
  service->finish(0, 0);
  EXPECT_EQ(tallies[0].peak_queue_ps, 5);
}

TEST_F(PhasedServiceTest, WritesAndPublishesThePort) {
  ASSERT_TRUE(serve());
  EXPECT_TRUE(service->finish(0, 0));
  EXPECT_EQ(queues[0].sent, 1u);
  EXPECT_EQ(queues[0].bytes, 0u);
  EXPECT_EQ(queues[1].sent, 3u);
  EXPECT_EQ(queues[1].bytes, 310u);
  EXPECT_EQ(published[1][0].sent, 1u);
  EXPECT_EQ(published[1][1].sent, 3u);
  EXPECT_EQ(egress[0].free_ps, kFrom + 814'000);
  EXPECT_EQ(tallies[0].sent_packets, 4u);
  EXPECT_EQ(tallies[0].sent_wire_bytes, 100u + 200 + 64 + 340 + 4 * kGap);
  EXPECT_EQ(tally.packet_hops, 4u);
  EXPECT_EQ(wake_ps[1][1], kFrom + 150'000 + kLambda) << "the other end learns of the first arrival";
}

TEST_F(PhasedServiceTest, ABusyTransmitterStartsNothing) {
  egress[0].free_ps = kFrom + kWindow;
  ASSERT_TRUE(serve());
  EXPECT_FALSE(service->finish(0, 0));
  EXPECT_EQ(egress[0].free_ps, kFrom + kWindow);
  EXPECT_EQ(tallies[0].peak_queue_bytes, 1'014u) << "all of them wait";
  EXPECT_EQ(wake_ps[1][1], kNever);
}

TEST_F(PhasedServiceTest, LeavesAPausedPortToTheOtherWay) {
  pauses[0].paused = kPaused;
  EXPECT_FALSE(serve());
  EXPECT_EQ(time_of(1, 3), 790'000) << "but the arrivals have their times";
  EXPECT_EQ(x.released[2], 0u);
}

TEST_F(PhasedServiceTest, LeavesAPortWithAPauseToComeToTheOtherWay) {
  pause_tail[0] = 1;
  EXPECT_FALSE(serve());
}

TEST_F(PhasedServiceTest, LeavesAPortThatSendsMoreThanIsKeptToTheOtherWay) {
  EXPECT_FALSE(serve(0));
  EXPECT_EQ(x.released[1], 0u);
}

TEST_F(PhasedServiceTest, NeedsNotKeepWhatDoesNotStart) {
  wait(120, 1);
  egress[0].free_ps = kFrom + 690'000;  // w ends at 810,000
  EXPECT_TRUE(serve(1));
  EXPECT_EQ(x.started[1], 1u);
}

TEST_F(PhasedServiceTest, LeavesASlowPortToTheOtherWay) {
  egress[0].max_held_bytes = 1'100'000;  // 1.1 ms
  EXPECT_FALSE(serve());
}

}  // namespace
}  // namespace heddle
