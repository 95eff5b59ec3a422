// The sending ends of queue pairs: what the checker reports when they are corrupted.
#include <gtest/gtest.h>

#include "kernels/congestion/dcqcn.hpp"
#include "kernels/state/psn_set.hpp"
#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// Corrupts the first sender with unacknowledged packets that f accepts.
template <class F>
std::string spoil_sender(const F& f, const World& world = incast_world()) {
  CheckedRun run(world);
  return run.spoil([&](CheckedRun& r) {
    return r.any_sender([&](u32 i) { return f(r.model.view, i, r.model.view.endpoint.sender[i]); });
  });
}

TEST(InvariantQueuePairs, PsnsAreInOrder) {
  const char* words = "PSNs are out of order: not una <= next <= sent end";
  EXPECT_FOUND(spoil_sender([](const View&, u32, Sender& q) {
                 q.next = q.una - 1;
                 return true;
               }),
               words);
  EXPECT_FOUND(spoil_sender([](const View&, u32, Sender& q) {
                 q.next = q.sent_end + 1;
                 return true;
               }),
               words);
}

/// Corrupts the rate of the first sender that has had a CNP.
template <class F>
std::string spoil_rate(const F& f) {
  return spoil_sender(
      [&](const View& v, u32 i, Sender&) {
        DcqcnState& rate = v.endpoint.control.of<Dcqcn>().state[i];
        if (rate.rate_bps == 0) return false;
        f(rate);
        return true;
      },
      incast_with_dcqcn());
}

TEST(InvariantQueuePairs, DcqcnRatesLieBetweenTheLeastAndTheLine) {
  EXPECT_FOUND(spoil_rate([](DcqcnState& rate) { rate.rate_bps = 400'000'000'001; }), "the DCQCN rate lies outside");
  EXPECT_FOUND(spoil_rate([](DcqcnState& rate) { rate.rate_bps = 999'999; }), "the DCQCN rate lies outside");
  EXPECT_FOUND(spoil_rate([](DcqcnState& rate) { rate.target_bps = 400'000'000'001; }),
               "the DCQCN target lies outside");
  EXPECT_FOUND(spoil_rate([](DcqcnState& rate) { rate.target_bps = 0; }), "the DCQCN target lies outside");
  EXPECT_FOUND(spoil_rate([](DcqcnState& rate) { rate.alpha_q20 = (1u << 20) + 1; }), "DCQCN's alpha is above 1");
}

TEST(InvariantQueuePairs, SetsCountWhatTheyHold) {
  EXPECT_FOUND(spoil_sender([](const View&, u32, Sender& q) {
                 q.ready = !q.ready;
                 return true;
               }),
               "the NIC's ready set does not count what it holds");
  EXPECT_FOUND(spoil_sender([](const View&, u32, Sender& q) {
                 q.timed = !q.timed;
                 return true;
               }),
               "the NIC's timers are not those of its queue pairs");
  EXPECT_FOUND(spoil_sender([](const View& v, u32, Sender&) {
                 ++v.endpoint.nic[1].outstanding;
                 return true;
               }),
               "unacknowledged queue pairs, not");
}

/// Corrupts the first sender that has packets to retransmit.
template <class F>
std::string spoil_repeats(const F& f) {
  return spoil_sender(
      [&](const View& v, u32 i, Sender& q) {
        if (!q.repeats) return false;
        f(v, i, q);
        return true;
      },
      incast_with_gaps());
}

TEST(InvariantQueuePairs, WhatIsRepeatedWasSentAndIsNotAcknowledged) {
  EXPECT_FOUND(spoil_repeats([](const View&, u32, Sender& q) { q.repeats = false; }),
               "that packets are to be sent again is not what it says");
  EXPECT_FOUND(spoil_repeats([](const View& v, u32 i, Sender& q) { repeats_of(v, i).put(q.next); }),
               "a packet is to be sent again that was not sent or is acknowledged");
}

/// Corrupts the first receiver that waits for a missing packet.
template <class F>
std::string spoil_gap(const F& f) {
  CheckedRun run(incast_with_gaps());
  return run.spoil([&](CheckedRun& r) {
    const View& v = r.model.view;
    for (u32 i = 0; i < v.endpoint.first_receiver[v.endpoints]; ++i) {
      const u32 expected = v.endpoint.receiver[i].expected;
      if (v.endpoint.seen_end[i] == expected || v.endpoint.seen_end[i] - expected > 100) continue;
      f(v, i, expected);
      return true;
    }
    return false;
  });
}

TEST(InvariantQueuePairs, WhatIsPlacedLiesBehindAMissingPacket) {
  EXPECT_FOUND(spoil_gap([](const View& v, u32 i, u32 expected) { v.endpoint.seen_end[i] = expected - 1; }),
               "the highest PSN seen lies before the expected one");
  EXPECT_FOUND(spoil_gap([](const View& v, u32 i, u32 expected) { v.endpoint.seen_end[i] = expected + 129; }),
               "a packet came from beyond the window");
  EXPECT_FOUND(spoil_gap([](const View& v, u32 i, u32 expected) { placed_of(v, i).put(expected); }),
               "a packet was placed that lies outside of what was seen");
  EXPECT_FOUND(spoil_gap([](const View& v, u32 i, u32 expected) { placed_last_of(v, i).put(expected); }),
               "a message's last packet is noted that was not placed");
  EXPECT_FOUND(spoil_gap([](const View& v, u32 i, u32) { ++v.endpoint.seen_end[i]; }),
               "the highest packet seen was not placed");
}

/// Corrupts the CTSs of rank 1 of a ring to rank 0, with 3 queue pairs, when none is in flight: the CTSs that rank 0
/// has taken, and those that rank 1 has sent on the first queue pair.
template <class F>
std::string spoil_ctss(const F& f) {
  World world = oracle::ring_of_two(40, false, 3);
  world.collectives.collectives[0].slices_full = 1;
  CheckedRun run(world);
  return run.spoil([&](CheckedRun& r) {
    const View& v = r.model.view;
    SendState& taken = v.collective.send[0];
    CtsStream* sent = v.collective.cts + v.endpoint.first_receiver[1];
    if (taken.granted < 10 || taken.granted == 40 || taken.granted != sent[0].end + sent[1].end + sent[2].end)
      return false;
    f(taken, sent[0]);
    return true;
  });
}

TEST(InvariantQueuePairs, CtssAreSentThenTakenThenAcknowledged) {
  EXPECT_FOUND(spoil_ctss([](SendState&, CtsStream& sent) { sent.una = sent.end + 1; }),
               "node 1: receiving queue pair 0: a CTS is acknowledged that was not sent");
  EXPECT_FOUND(spoil_ctss([](SendState&, CtsStream& sent) { sent.una = ++sent.end; }),
               "a CTS is acknowledged that was not taken");
  EXPECT_FOUND(spoil_ctss([](SendState& taken, CtsStream&) { taken.granted += 12; }),
               "a CTS was taken that was not sent");
  EXPECT_FOUND(spoil_ctss([](SendState& taken, CtsStream&) {  // out of order, for a slice without a slot
                 taken.early |= 1u << ((taken.granted + 3) % 4);
               }),
               "a CTS was taken that was not sent");
  EXPECT_FOUND(spoil_ctss([](SendState& taken, CtsStream&) { taken.early = taken.asked = 0xf; }),
               "a CTS is asked for that was taken");
}

TEST(InvariantQueuePairs, OfSlicesThatAreSplitTheFirstQueuePairHasTheCtss) {
  World world = oracle::ring_of_two(4, false, 3);
  world.collectives.jobs[0].scaling = QpScaling::split;
  CheckedRun run(world);
  EXPECT_EQ(run.spoil([](CheckedRun& r) { return r.model.view.collective.send[0].granted == 4; }), "");
}

TEST(InvariantQueuePairs, CtssThatAreUnacknowledgedAreCounted) {
  CheckedRun run(oracle::ring_of_two(4, false, 1));
  EXPECT_FOUND(run.spoil([](CheckedRun& r) { return ++r.model.view.collective.gpu[1].cts_outstanding, true; }),
               "the queue pairs with unacknowledged CTSs are not as many as it counts");
}

}  // namespace
}  // namespace heddle
