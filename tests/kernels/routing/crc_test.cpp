// CRCs with tables, against the check values of the catalogues, and polarisation by linearity.
#include "kernels/routing/crc.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace heddle {
namespace {

u32 crc_of(const CrcKind& kind, std::string_view text, u32 seed = 0) {
  const std::array<u32, 256> table = crc_table(kind);
  u32 r = kind.init ^ seed;
  for (const char c : text) r = crc_step(table.data(), kind.width, kind.reflected, r, static_cast<u8>(c));
  return r ^ kind.xor_out;
}

/// "Catalogue of parametrised CRC algorithms": CRC-16/ARC, CRC-16/IBM-3740, CRC-32/ISO-HDLC, CRC-32/ISCSI.
TEST(Crc, CheckValues) {
  constexpr u32 kChecks[] = {0xbb3d, 0x29b1, 0xcbf43926, 0xe3069283};
  for (u32 i = 0; i < std::size(kCrcs); ++i) EXPECT_EQ(crc_of(kCrcs[i], "123456789"), kChecks[i]) << "function " << i;
}

/// Seeds of their own do not help switches: two seeds differ by the same constant for every key.
TEST(Crc, SeedsAreAConstant) {
  for (const CrcKind& kind : kCrcs) {
    const u32 constant = crc_of(kind, "abcdefgh", 0x5a5a) ^ crc_of(kind, "abcdefgh");
    EXPECT_NE(constant, 0u);
    for (const std::string_view key : {"ijklmnop", "12345678", "zzzzzzzz"})
      EXPECT_EQ(crc_of(kind, key, 0x5a5a) ^ crc_of(kind, key), constant);
  }
}

}  // namespace
}  // namespace heddle
