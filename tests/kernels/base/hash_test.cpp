// The hash of MODEL.md 1.4 against vectors that an independent implementation (Python integers) computed.
#include "kernels/base/hash.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace heddle {
namespace {

TEST(Hash, Vectors) {
  EXPECT_EQ(hash64(1, Stream::tie), 0xe9fd6049d65af21eull);
  EXPECT_EQ(hash64(1, Stream::tie, 17, 655360), 0x2fca4c4cbabd22fcull);
  EXPECT_EQ(hash64(0xdeadbeefcafef00dull, Stream::ecn, (u64{129} << 32) | 3, 123456789012ull), 0xbd6e51b6011049b2ull);
}

TEST(Hash, HighHalf) { EXPECT_EQ(hash32(1, Stream::tie, 17, 655360), 0x2fca4c4cu); }

TEST(Hash, IsAChain) {
  u64 state = absorb(absorb(0, 7), static_cast<u64>(Stream::ecmp));
  for (u64 word : {3u, 1u, 4u}) state = absorb(state, word);
  EXPECT_EQ(state, hash64(7, Stream::ecmp, 3, 1, 4));
}

TEST(Hash, OneBitOfInputChangesHalfTheOutput) {
  u32 changed = 0;
  for (u32 bit = 0; bit < 64; ++bit) {
    changed += static_cast<u32>(
        std::popcount(hash64(1, Stream::ecn, 5, 9) ^ hash64(1, Stream::ecn, 5, u64{9} ^ (u64{1} << bit))));
  }
  EXPECT_NEAR(changed / 64.0, 32.0, 2.0);
}

}  // namespace
}  // namespace heddle
