// The sending ends of queue pairs: what the checker says when they were spoilt.
#include <gtest/gtest.h>

#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// Spoils the first sender with something unacknowledged of which f says so.
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

/// Spoils the rate of the first sender that has had a CNP.
template <class F>
std::string spoil_rate(const F& f) {
  return spoil_sender(
      [&](const View& v, u32 i, Sender&) {
        RateState& rate = v.endpoint.rate[i];
        if (rate.rate_bps == 0) return false;
        f(rate);
        return true;
      },
      incast_with_dcqcn());
}

TEST(InvariantQueuePairs, DcqcnRatesLieBetweenTheLeastAndTheLine) {
  EXPECT_FOUND(spoil_rate([](RateState& rate) { rate.rate_bps = 400'000'000'001; }), "the DCQCN rate lies outside");
  EXPECT_FOUND(spoil_rate([](RateState& rate) { rate.rate_bps = 999'999; }), "the DCQCN rate lies outside");
  EXPECT_FOUND(spoil_rate([](RateState& rate) { rate.target_bps = 400'000'000'001; }), "the DCQCN target lies outside");
  EXPECT_FOUND(spoil_rate([](RateState& rate) { rate.target_bps = 0; }), "the DCQCN target lies outside");
  EXPECT_FOUND(spoil_rate([](RateState& rate) { rate.alpha_q20 = (1u << 20) + 1; }), "DCQCN's alpha is above 1");
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

}  // namespace
}  // namespace heddle
