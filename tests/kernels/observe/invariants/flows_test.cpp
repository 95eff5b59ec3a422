// Flows from end to end: what the checker reports when packets or counts are corrupted.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "kernels/engine/engine.hpp"
#include "tests/kernels/observe/invariants/checked_run.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

/// Corrupts the last packet of class c that a NIC started in this tick, if f agrees.
template <class F>
std::string spoil_start(u32 c, const F& f) {
  CheckedRun run(incast_world());
  return run.spoil([&](CheckedRun& r) {
    return r.any_nic_queue(c, [&](u32 q) {
      const u32 sent = r.model.view.queue[q].sent;
      return sent != r.before[q].sent && f(r.packet(q, sent - 1));
    });
  });
}

void add_to_psn(Packet& packet, u32 by) { packet.w3 = (packet.w3 & ~0xffffffu) | ((packet.psn() + by) & 0xffffff); }

TEST(InvariantFlows, PsnsFollowEachOther) {
  EXPECT_FOUND(spoil_start(1,
                           [](Packet& packet) {
                             add_to_psn(packet, 1);
                             return true;
                           }),
               "PSNs are not in order: one was left out");
}

TEST(InvariantFlows, WhatIsAcknowledgedIsNotSentAgain) {
  EXPECT_FOUND(spoil_start(1,
                           [](Packet& packet) {
                             add_to_psn(packet, 0u - 1'000);
                             return true;
                           }),
               "an acknowledged PSN was sent again");
}

TEST(InvariantFlows, PacketsAreAddressedToQueuePairs) {
  EXPECT_FOUND(spoil_start(1,
                           [](Packet& packet) {
                             packet.w2 |= 0xffu << 17;
                             packet.w3 |= 0xffu << 24;
                             return true;
                           }),
               "a packet is addressed to a queue pair that does not exist");
}

TEST(InvariantFlows, AcksAreOfWhatWasReceived) {
  EXPECT_FOUND(spoil_start(0,
                           [](Packet& packet) {
                             if (packet.kind() != PacketKind::ack) return false;
                             add_to_psn(packet, 1'000);
                             return true;
                           }),
               "an ACK is in flight for what was never received");
}

TEST(InvariantFlows, NaksAreOfWhatSomethingWasSeenBehind) {
  CheckedRun run(incast_with_gaps());
  EXPECT_FOUND(run.spoil([](CheckedRun& r) {
    return r.any_nic_queue(0, [&](u32 q) {
      const u32 sent = r.model.view.queue[q].sent;
      if (sent == r.before[q].sent || r.packet(q, sent - 1).kind() != PacketKind::nak) return false;
      add_to_psn(r.packet(q, sent - 1), 1'000);
      return true;
    });
  }),
               "a NAK is in flight for what nothing was seen behind");
}

/// Corrupts the first sender with unacknowledged packets that f accepts.
template <class F>
std::string spoil_sender(const F& f) {
  CheckedRun run(incast_world());
  return run.spoil([&](CheckedRun& r) {
    const View& v = r.model.view;
    return r.any_sender([&](u32 i) { return f(v, v.endpoint.sender[i], v.endpoint.sender_plan[i]); });
  });
}

TEST(InvariantFlows, WindowsDoNotGoBack) {
  EXPECT_FOUND(spoil_sender([](const View&, Sender& q, const SenderPlan&) {
                 q.una -= 1'000;
                 return true;
               }),
               "una went back");
  EXPECT_FOUND(spoil_sender([](const View&, Sender& q, const SenderPlan&) {
                 ++q.sent_end;
                 return true;
               }),
               "the PSNs sent are not those that started");
}

TEST(InvariantFlows, NoMoreIsAcknowledgedThanReceived) {
  EXPECT_FOUND(spoil_sender([](const View& v, Sender& q, const SenderPlan& plan) {
                 const Receiver& receiver = v.endpoint.receiver[v.endpoint.first_receiver[0] + plan.receiver_number];
                 if (q.una != receiver.expected || q.sent_end - q.una < 2 || q.next == q.una) return false;
                 ++q.una;
                 return true;
               }),
               "more is acknowledged than was received");
}

TEST(InvariantFlows, ReceiversExpectWhatFollowsTheirArrivals) {
  const auto spoil = [](CheckedRun& r) {
    if (r.model.view.endpoint.receiver[0].expected < 10) return false;
    r.model.view.endpoint.receiver[0].expected -= 5;
    return true;
  };
  for (const World& world : {incast_world(), incast_into_slow_nic()})
    EXPECT_FOUND(CheckedRun(world).spoil(spoil), "the receiver expects a PSN that its arrivals do not explain");
  // The gap that a retransmission repairs is acknowledged at once, so an ACK shows the corruption first.
  EXPECT_FOUND(CheckedRun(incast_with_gaps()).spoil(spoil), "an ACK is in flight for what was never received");
}

TEST(InvariantFlows, DeliveriesAreCounted) {
  CheckedRun run(incast_world());
  EXPECT_FOUND(run.spoil([](CheckedRun& r) { return ++r.tally.data_received > 100; }),
               "the packets delivered in order are not those that are counted");
}

/// Corrupts the tick in which the first packet of the lossless class is dropped.
template <class F>
std::string spoil_drop(const F& f) {
  CheckedRun run(incast_with_overruns());
  u64 before = 0;
  return run.spoil([&](CheckedRun& r) {
    u64& drops = r.tally.drops[static_cast<u32>(DropCause::headroom_overrun)];
    return std::exchange(before, drops) != drops && f(r, drops);
  });
}

TEST(InvariantFlows, LosslessMeansLossless) {
  const char* words = "packets of lossless classes and 0 of others were lost, but";
  EXPECT_FOUND(spoil_drop([](CheckedRun&, u64& drops) { return --drops, true; }), words);
  EXPECT_FOUND(spoil_drop([](CheckedRun&, u64& drops) { return ++drops, true; }), words);
  EXPECT_FOUND(spoil_drop([](CheckedRun& r, u64& drops) {  // a limit of another class cannot have dropped it
                 --drops;
                 ++r.tally.drops[static_cast<u32>(DropCause::class_limit)];
                 return true;
               }),
               words);
}

TEST(InvariantFlows, PacketsSentArriveOrAreLost) {
  // After a drop the switch cannot detect that a packet was given to another queue pair: the flow can.
  EXPECT_FOUND(spoil_drop([](CheckedRun& r, u64&) {
                 return r.any_switch_queue(1, [&](u32 q) {
                   const u32 tail = r.model.view.queue[q].tail;
                   if (tail == r.before[q].tail) return false;
                   Packet& packet = r.packet(q, tail - 1);
                   packet.w3 ^= 1u << 24;  // every endpoint has two queue pairs
                   add_to_psn(packet, 0u - packet.psn());
                   return true;
                 });
               }),
               "packets were sent and");
}

/// Exchanges the switch's routes to endpoints 0 and 1.
World misrouted() {
  World w = incast_world();
  std::swap(w.routing.attach_port[0], w.routing.attach_port[1]);
  return w;
}

TEST(InvariantFlows, PacketsArriveWhereTheyAreAddressed) {
  CheckedRun run(misrouted());
  EXPECT_FOUND(run.spoil([](CheckedRun&) { return false; }), "a packet arrived that is addressed to another port");
}

TEST(InvariantFlows, AViolationEndsTheRun) {
  Engine engine(misrouted(), {.check = true});
  EXPECT_FOUND(test::message_of<std::logic_error>([&] { engine.advance(kNever); }),
               "a packet arrived that is addressed to another port");
}

}  // namespace
}  // namespace heddle
