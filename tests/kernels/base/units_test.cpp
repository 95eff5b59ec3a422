// Serialisation arithmetic of MODEL.md 1.2: integers, rounded down per packet.
#include "kernels/base/units.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Units, SpeedsOfEthernet) {
  EXPECT_EQ(ps_per_byte_q16_of(400'000'000'000), 20u << 16);
  EXPECT_EQ(ps_per_byte_q16_of(200'000'000'000), 40u << 16);
  EXPECT_EQ(ps_per_byte_q16_of(25'000'000'000), 320u << 16);
  for (const u64 gbps : {10, 25, 40, 50, 100, 200, 400, 800}) {
    const u64 bps = gbps * 1'000'000'000;
    EXPECT_EQ(bits_per_s_of(ps_per_byte_q16_of(bps)), bps);
  }
}

TEST(Units, SerialisationIsRoundedDownPerPacket) {
  EXPECT_EQ(ser_ps(4198, 20 << 16), 83'960);
  EXPECT_EQ(ser_ps(1, 145'636), 2) << "450 GB/s NVLink: 2.222 ps a byte";
  EXPECT_EQ(ser_ps(9, 145'636), 20);
  EXPECT_EQ(ser_ps(0, 20 << 16), 0);
  EXPECT_EQ(ser_ps(u64{1} << 30, 145'636), 2'386'100'224) << "no overflow at a 1 GiB transfer";
}

TEST(Units, TimesCanBeCutToWholeNanoseconds) {
  const u32 speed = (20 << 16) | kWholeNanoseconds;
  EXPECT_EQ(ser_ps(4144, speed), 82'000) << "82.88 ns: HPCC's data packet at 400G";
  EXPECT_EQ(ser_ps(60, speed), 1'000) << "1.2 ns: its ACK";
  EXPECT_EQ(ser_ps(49, speed), 0);
  EXPECT_EQ(ser_ps(4150, speed), 83'000);
  EXPECT_EQ(bits_per_s_of(speed), 400'000'000'000u);
  EXPECT_EQ(bytes_in_ps(21, speed), 2u);
}

TEST(Units, HeldBytesAreWholeCells) {
  EXPECT_EQ(held_bytes(4178, 1), 4178u);
  EXPECT_EQ(held_bytes(4178, 254), 17u * 254);
  EXPECT_EQ(held_bytes(508, 254), 508u);
  EXPECT_EQ(held_bytes(1, 254), 254u);
}

TEST(Units, BytesInATimeAreRoundedUp) {
  EXPECT_EQ(bytes_in_ps(1'158'400, 20 << 16), 57'920u) << "905 quanta of 64 B (P802.1Qbb response time at 400G)";
  EXPECT_EQ(bytes_in_ps(0, 20 << 16), 0u);
  EXPECT_EQ(bytes_in_ps(1, 20 << 16), 1u);
  EXPECT_EQ(bytes_in_ps(20, 20 << 16), 1u);
  EXPECT_EQ(bytes_in_ps(21, 20 << 16), 2u);
  for (const u32 speed : {20u << 16, 145'636u, 327'681u}) {
    for (u64 bytes = 1; bytes < 5000; bytes += 77) EXPECT_LE(bytes_in_ps(ser_ps(bytes, speed), speed), bytes);
  }
}

}  // namespace
}  // namespace heddle
