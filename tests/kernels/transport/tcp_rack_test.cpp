// How long RACK waits, in pure arithmetic (MODEL.md, 8.11).
#include "kernels/transport/tcp_rack.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// A connection with a least round trip of 8 us and a smoothed one of 9 us, whose last recovery ended at segment 10.
TcpSender measured() {
  TcpSender c;
  c.rack_quarters = 1;
  c.min_rtt_ps = 8'000'000;
  c.srtt_ps = 9'000'000;
  c.recover = 10;
  return c;
}

TEST(TcpRack, WaitsAQuarterOfTheLeastRoundTripOrMore) {
  TcpSender c = measured();
  EXPECT_EQ(rack_wait_ps(c, 10), 2'000'000);
  c.rack_quarters = 3;
  EXPECT_EQ(rack_wait_ps(c, 10), 6'000'000);
  c.rack_quarters = 5;
  EXPECT_EQ(rack_wait_ps(c, 10), 9'000'000) << "at most a smoothed round trip";
}

TEST(TcpRack, WaitsForNothingInRecoveryOrBehindThreeUnlessSomethingWasOutOfOrder) {
  TcpSender c = measured();
  EXPECT_EQ(rack_wait_ps(c, 9), 0) << "in recovery";
  c.sacked = kTcpDuplicates;
  EXPECT_EQ(rack_wait_ps(c, 10), 0);
  c.reordered = true;
  EXPECT_EQ(rack_wait_ps(c, 9), 2'000'000);
  EXPECT_EQ(rack_wait_ps(c, 10), 2'000'000);
}

TEST(TcpRack, DuplicatesLengthenTheWaitOnceARoundTripUntilSixteenRecoveriesHaveNone) {
  TcpSender c = measured();
  rack_take_dsack(c, 10, 20);
  rack_take_dsack(c, 19, 30);
  EXPECT_EQ(c.rack_quarters, 2u) << "the same round trip";
  for (u32 i = 0; i < kRackRecoveries - 1; ++i) rack_note_recovery(c);
  rack_take_dsack(c, 20, 30);
  EXPECT_EQ(c.rack_quarters, 3u);
  for (u32 i = 0; i < kRackRecoveries - 1; ++i) rack_note_recovery(c);
  EXPECT_EQ(c.rack_quarters, 3u) << "a duplicate begins the count anew";
  rack_note_recovery(c);
  EXPECT_EQ(c.rack_quarters, 1u);
  c.rack_quarters = kRackMaxQuarters;
  rack_take_dsack(c, 30, 40);
  EXPECT_EQ(c.rack_quarters, kRackMaxQuarters);
}

}  // namespace
}  // namespace heddle
