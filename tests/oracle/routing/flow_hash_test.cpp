#include "tests/oracle/routing/flow_hash.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

std::vector<u8> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(FlowHash, CheckValues) {
  const std::vector<u8> digits = bytes_of("123456789");
  EXPECT_EQ(crc(crc_of(HashFunction::crc16), digits, 0), 0xbb3du);
  EXPECT_EQ(crc(crc_of(HashFunction::crc16_ccitt), digits, 0), 0x29b1u);
  EXPECT_EQ(crc(crc_of(HashFunction::crc32), digits, 0), 0xcbf43926u);
  EXPECT_EQ(crc(crc_of(HashFunction::crc32c), digits, 0), 0xe3069283u);
  EXPECT_EQ(xor16(digits, 0), 0x3132u ^ 0x3334u ^ 0x3536u ^ 0x3738u ^ 0x3900u);
}

/// A data packet from endpoint 1 to 2 at a switch.
class AtASwitch : public testing::Test {
 protected:
  AtASwitch() : world_(star(4)) {
    packet_.src = 1;
    packet_.dst = 2;
    packet_.source_port = 0xc123;
    packet_.dst_qp = 7;
    world_.routing.hash.seed = HashSeed::same;
  }

  void use(HashFunction function, u32 fields) {
    world_.routing.hash.fields = fields;
    for (TierHash& tier : world_.routing.hash.of_tier) tier.function = function;
  }
  TierHash& settings() { return world_.routing.hash.of_tier[static_cast<u32>(world_.fabric.nodes[4].tier)]; }
  u64 hash(bool with_qp = false) const {
    const RouteContext context{.world = world_, .at = 4, .packet = packet_, .ingress_port = 3};
    return context.flow_index(with_qp, u64{1} << 32);
  }
  u32 seed() const { return hash32(world_.seed, Stream::ecmp, u64{0}); }

  World world_;
  Packet packet_;
};

TEST_F(AtASwitch, FieldsInTheirOrder) {
  use(HashFunction::crc32, kHashFiveTuple | kHashInPort);
  const std::vector<u8> key = {10, 0, 0, 1, 10, 0, 0, 2, 17, 0xc1, 0x23, 0x12, 0xb7, 0, 3};
  EXPECT_EQ(hash(), crc(crc_of(HashFunction::crc32), key, seed()));
  use(HashFunction::crc32, kHashDstIp);
  EXPECT_EQ(hash(true), crc(crc_of(HashFunction::crc32), {10, 0, 0, 2, 0, 0, 7}, seed()));
}

TEST_F(AtASwitch, FoldOffsetAndBits) {
  use(HashFunction::crc32, kHashFiveTuple);
  const u64 all = hash();
  settings().offset = 12;
  EXPECT_EQ(hash(), (all >> 12 | all << 20) & 0xffffffff);
  settings().bits = 5;
  EXPECT_EQ(hash(), all >> 12 & 31);
  settings() = {.function = HashFunction::crc32, .fold = true};
  EXPECT_EQ(hash(), (all >> 16) ^ (all & 0xffff));
}

TEST_F(AtASwitch, OneSeedForAllOrForEach) {
  use(HashFunction::crc16, kHashFiveTuple);
  const u64 same = hash();
  world_.routing.hash.seed = HashSeed::per_switch;
  const u64 own = hash();
  EXPECT_NE(own, same);
  packet_.source_port = 0xc777;
  const u64 other = hash();
  world_.routing.hash.seed = HashSeed::same;
  EXPECT_EQ(hash() ^ same, other ^ own) << "linear: the seed adds the same to every flow's hash";
}

}  // namespace
}  // namespace heddle::oracle
