// PFC accounts, slow NICs' buffers and pools: what the checker reports when they are corrupted.
#include <gtest/gtest.h>

#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// Corrupts the first account of a switch that holds at least `bytes`.
template <class F>
std::string spoil_account(const F& f, u32 bytes, const World& world = incast_world()) {
  CheckedRun run(world);
  return run.spoil([&](CheckedRun& r) {
    return r.any_switch_queue(1, [&](u32 q) {
      Account& account = r.model.view.account[r.link_of(q)];  // one lossless class
      if (account.occupancy_bytes < bytes) return false;
      f(r, account);
      return true;
    });
  });
}

TEST(InvariantAccounts, AreNotNegative) {
  EXPECT_FOUND(spoil_account([](CheckedRun&, Account& account) { account.occupancy_bytes = 0u - 5; }, 1),
               "the PFC account is negative: -5 B");
}

TEST(InvariantAccounts, AreWhatThePacketsSumTo) {
  EXPECT_FOUND(spoil_account([](CheckedRun&, Account& account) { account.occupancy_bytes += 64; }, 1),
               "the PFC account holds");
  EXPECT_FOUND(spoil_account([](CheckedRun&, Account& account) { --account.occupancy_bytes; }, 1),
               "the PFC account holds");
}

TEST(InvariantAccounts, StayBelowXoffAndHeadroom) {
  const IngressProfile small{false, 10'000, 5'000, 1'000, 0};
  EXPECT_FOUND(spoil_account(
                   [&](CheckedRun& r, Account& account) {
                     account.pausing = 0;
                     r.model.view.ingress_profile = &small;
                   },
                   20'000),
               "more than XOFF (or the level at the pause) + headroom, 11000 B");
}

TEST(InvariantAccounts, StayBelowTheLevelAtThePauseAndHeadroom) {
  const IngressProfile small{false, 40'000, 30'000, 1'000, 0};
  EXPECT_FOUND(spoil_account(
                   [&](CheckedRun& r, Account& account) {
                     account.pausing = 1;
                     account.level_at_pause_bytes = 40'000;
                     r.model.view.ingress_profile = &small;
                   },
                   60'000),
               "more than XOFF (or the level at the pause) + headroom, 41000 B");
}

TEST(InvariantAccounts, PoolsAreWhatTheirAccountsSumTo) {
  const auto spoil_pool = [](const auto& f) {
    return spoil_account([&](CheckedRun& r, Account&) { f(r.model.view.pool_state[0]); }, 1, incast_in_a_pool());
  };
  EXPECT_FOUND(spoil_pool([](PoolState& pool) { ++pool.used_bytes; }), "pool 0 counts");
  EXPECT_FOUND(spoil_pool([](PoolState& pool) { pool.used_bytes = ~u64{0}; }), "pool 0 counts");
  EXPECT_FOUND(spoil_pool([](PoolState& pool) { --pool.shared_used_bytes; }), "B of its shared part");
  EXPECT_FOUND(spoil_pool([](PoolState& pool) { pool.arriving_bytes = 1; }), "arrivals of a window that is over");
}

TEST(InvariantAccounts, PoolsStayBelowTheirLimit) {
  const Pool small{5, 1'000, 1'000};
  EXPECT_FOUND(
      spoil_account([&](CheckedRun& r, Account&) { r.model.view.pool_limits = &small; }, 20'000, incast_in_a_pool()),
      "pool 0 holds more than its limit");
}

/// Corrupts the slow NIC's buffer once it holds three packets.
template <class F>
std::string spoil_buffer(const F& f) {
  CheckedRun run(incast_into_slow_nic());
  return run.spoil([&](CheckedRun& r) {
    const View& v = r.model.view;
    Fifo& buffer = v.endpoint.nic[0].slow.buffer;
    if (buffer.tail - buffer.head < 3) return false;
    f(v, buffer);
    return true;
  });
}

TEST(InvariantAccounts, SlowNicsHoldWhatTheyAreCharged) {
  EXPECT_FOUND(spoil_buffer([](const View&, Fifo& buffer) { --buffer.tail; }), "the PFC account holds");
}

TEST(InvariantAccounts, SlowNicsDrainInOrder) {
  const char* words = "a slow NIC's buffer is out of order of time, or was not drained";
  EXPECT_FOUND(spoil_buffer([](const View& v, Fifo& buffer) {
                 v.pool.time_ps[buffer.ring.at(buffer.head + 1)] = v.pool.time_ps[buffer.ring.at(buffer.head)] - 1;
               }),
               words);
  EXPECT_FOUND(spoil_buffer([](const View& v, Fifo& buffer) { v.pool.time_ps[buffer.ring.at(buffer.head)] = 0; }),
               words);
}

TEST(InvariantAccounts, SlowNicsHoldPacketsOfLosslessClasses) {
  EXPECT_FOUND(spoil_buffer([](const View& v, Fifo& buffer) {
                 v.pool.packet[buffer.ring.at(buffer.head)].w2 &= ~(3u << 30);  // class 0
               }),
               "a slow NIC's buffer holds a packet of a class without PFC");
}

}  // namespace
}  // namespace heddle
