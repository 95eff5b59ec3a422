// CTSs of a connection, both ends by hand: sent, taken, answered and retransmitted (MODEL.md, 9.4).
#include "kernels/collective/admission.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/instantiate/instantiate.hpp"
#include "kernels/outcome/failed_qp.hpp"
#include "kernels/team/serial.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

constexpr TimePs kRto = 1'000'000;

/// Rank 0 of a ring sends slices to rank 1, which admits them; 4 slots.
class Admissions : public testing::Test {
 protected:
  void begin(Recovery recovery, u32 qps) {
    World world = oracle::ring_of_two(4, false, qps);
    world.roce.recovery = recovery;
    world.roce.rto_ps = kRto;
    world.roce.rto_tries = 2;
    instantiate(world, {}, model_);
  }

  /// Rank 1 admits slice `slice` at t.
  void admit(u32 slice, TimePs t) {
    at(1, [&](const Admission<Serial>& a) { a.send_cts(connection(), slice, t); });
  }
  /// Delivers rank 0's answers to rank 1.
  void answer(u32 number, bool nak, TimePs t) {
    at(1, [&](const Admission<Serial>& a) { a.on_answer(0, number, nak, t); });
  }
  void time_out(TimePs t) {
    at(1, [&](const Admission<Serial>& a) { a.time_out(t); });
  }
  TimePs next_due_ps() {
    TimePs due = 0;
    at(1, [&](const Admission<Serial>& a) { due = a.next_due_ps(); });
    return due;
  }
  /// Rank 0 takes CTS `number` of queue pair `qp`. Returns whether more slices may be sent now.
  bool take(u32 number, u32 qp = 0) {
    bool more = false;
    const Packet cts = make_packet({0, qp, 1, 0, number, 100, 0, PacketKind::cts, false});
    at(0, [&](const Admission<Serial>& a) { more = a.take(cts, 0); });
    return more;
  }
  u32 admitted() const { return model_.view.collective.send[0].granted; }

  /// Packets that a rank has sent since the last call: "CTS 3", "ACK 2 to QP 1".
  std::vector<std::string> sent(u32 rank) {
    const View& v = model_.view;
    const u32 q = v.first_link[v.switches + rank] * v.settings.classes;
    std::vector<std::string> all;
    for (u32& p = seen_[rank]; p != v.queue[q].tail; ++p) {
      const Packet& packet = v.pool.packet[v.queue[q].ring.at(p)];
      EXPECT_EQ(packet.src(), rank);
      EXPECT_EQ(packet.dst(), 1 - rank);
      const std::string kind = packet.kind() == PacketKind::cts       ? "CTS"
                               : packet.kind() == PacketKind::cts_ack ? "ACK"
                               : packet.kind() == PacketKind::cts_nak ? "NAK"
                                                                      : "?";
      all.push_back(kind + " " + std::to_string(packet.psn()) +
                    (packet.dst_qp() == 0 ? "" : " to QP " + std::to_string(packet.dst_qp())));
    }
    return all;
  }
  u64 events(EventKind kind) const { return tally_.count[static_cast<u32>(kind)]; }
  const ConnectionPlan& connection() const { return model_.view.collective.connection[0]; }

  Model model_;

 private:
  template <class F>
  void at(u32 rank, const F& f) {
    const View& v = model_.view;
    const Serial team(&tally_);
    const NicContext<Serial> context(team, v, rank, 0);
    f(Admission<Serial>(context));
  }

  Tally tally_;
  u32 seen_[2] = {};
};

using Sent = std::vector<std::string>;

TEST_F(Admissions, EachCtsIsAcknowledged) {
  begin(Recovery::go_back_n, 1);
  EXPECT_EQ(next_due_ps(), kNever);
  admit(0, 10);
  admit(1, 20);
  EXPECT_EQ(sent(1), (Sent{"CTS 0", "CTS 1"}));
  EXPECT_EQ(next_due_ps(), 10 + kRto);
  EXPECT_TRUE(take(0));
  EXPECT_TRUE(take(1));
  EXPECT_EQ(admitted(), 2u);
  EXPECT_FALSE(take(0)) << "a duplicate admits nothing";
  EXPECT_EQ(sent(0), (Sent{"ACK 1", "ACK 2", "ACK 2"}));
  answer(2, false, 30);
  EXPECT_EQ(next_due_ps(), kNever);
  EXPECT_EQ(model_.view.collective.gpu[1].cts_outstanding, 0u);
}

TEST_F(Admissions, GoBackNAsksOnceForALostCtsAndTakesAllAgain) {
  begin(Recovery::go_back_n, 1);
  for (u32 slice = 0; slice < 4; ++slice) admit(slice, 0);
  EXPECT_EQ(sent(1).size(), 4u);
  EXPECT_TRUE(take(0));
  EXPECT_FALSE(take(2)) << "1 is lost";
  EXPECT_FALSE(take(3));
  EXPECT_EQ(sent(0), (Sent{"ACK 1", "NAK 1"}));
  EXPECT_EQ(admitted(), 1u);
  answer(1, true, 100);
  EXPECT_EQ(sent(1), (Sent{"CTS 1", "CTS 2", "CTS 3"}));
  EXPECT_EQ(events(EventKind::retransmit), 3u);
  EXPECT_FALSE(take(3)) << "1 is lost again: it has been asked for, and the timeout is left";
  EXPECT_EQ(sent(0), Sent{});
  for (u32 number = 1; number < 4; ++number) EXPECT_TRUE(take(number));
  EXPECT_EQ(sent(0), (Sent{"ACK 2", "ACK 3", "ACK 4"}));
  EXPECT_EQ(admitted(), 4u);
}

TEST_F(Admissions, SelectiveRepeatTakesWhatComesAheadAndLeavesTheRestToTheTimeout) {
  begin(Recovery::selective_repeat, 1);
  for (u32 slice = 0; slice < 3; ++slice) admit(slice, 0);
  EXPECT_EQ(sent(1).size(), 3u);
  EXPECT_FALSE(take(1));
  EXPECT_FALSE(take(2));
  EXPECT_EQ(sent(0), Sent{}) << "what is missing is not asked for";
  EXPECT_FALSE(take(1));
  EXPECT_EQ(sent(0), Sent{"ACK 0"}) << "of a duplicate";
  EXPECT_EQ(admitted(), 0u);
  time_out(kRto);
  EXPECT_EQ(sent(1), (Sent{"CTS 0", "CTS 1", "CTS 2"}));
  EXPECT_TRUE(take(0));
  EXPECT_EQ(sent(0), Sent{"ACK 3"});
  EXPECT_EQ(admitted(), 3u);
}

TEST_F(Admissions, QueuePairsTakeTurnsAndSlicesAreAdmittedInOrder) {
  begin(Recovery::go_back_n, 3);
  for (u32 slice = 0; slice < 4; ++slice) admit(slice, 0);
  EXPECT_EQ(sent(1), (Sent{"CTS 0", "CTS 0 to QP 1", "CTS 0 to QP 2", "CTS 1"}));
  EXPECT_FALSE(take(0, 1)) << "slice 1 before slice 0";
  EXPECT_FALSE(take(1, 0)) << "slice 3: its queue pair lacks slice 0";
  EXPECT_EQ(sent(0), (Sent{"ACK 1 to QP 1", "NAK 0"}));
  EXPECT_TRUE(take(0, 0));
  EXPECT_EQ(admitted(), 2u);
  EXPECT_TRUE(take(0, 2));
  EXPECT_TRUE(take(1, 0));
  EXPECT_EQ(admitted(), 4u);
}

TEST_F(Admissions, TimeoutsAreCountedUntilThereIsProgress) {
  begin(Recovery::go_back_n, 1);
  admit(0, 0);
  admit(1, 0);
  EXPECT_EQ(sent(1).size(), 2u);
  time_out(kRto - 1);
  EXPECT_EQ(sent(1), Sent{});
  for (u32 i = 1; i <= 2; ++i) {
    EXPECT_EQ(next_due_ps(), i * kRto);
    time_out(i * kRto);
    EXPECT_EQ(sent(1), (Sent{"CTS 0", "CTS 1"}));
  }
  answer(1, false, 2 * kRto + 500);  // progress resets the tries
  for (u32 i = 3; i <= 4; ++i) {
    time_out(i * kRto + 500);
    EXPECT_EQ(sent(1), Sent{"CTS 1"});
  }
  EXPECT_EQ(events(EventKind::timeout), 4u);
  EXPECT_EQ(model_.view.failure->kind, 0u);
  time_out(5 * kRto + 500);
  EXPECT_EQ(events(EventKind::timeout), 4u) << "one too many is a failure instead";
  EXPECT_EQ(model_.view.failure->kind, kFailureNew);
  EXPECT_EQ(model_.view.endpoint.nic[1].failed_qp, kReceivingEnd);
  EXPECT_EQ(model_.view.endpoint.nic[1].failed_ps, 5 * kRto + 500);
  EXPECT_EQ(next_due_ps(), kNever);
  admit(2, 6 * kRto);
  answer(1, true, 6 * kRto);
  EXPECT_EQ(sent(1), Sent{}) << "it has given up";
}

}  // namespace
}  // namespace heddle
