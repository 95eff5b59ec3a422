// The period by partition/exchange's rule.
#include "partition/cut/exchange_period.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

constexpr TimePs kTick = 10'000;

/// NICs 0 and 1 on switch 2; NIC 1's cable has the latencies under test. Rank 1 has NIC 1 alone.
struct CutStar {
  World world = oracle::star(2);
  std::vector<u32> rank_of_node = {0, 1, 0};
  Link *up = nullptr, *down = nullptr;  // NIC 1 to the switch, and back

  CutStar() {
    world.clocks.tick_ps = kTick;
    world.clocks.epoch_ps = 100 * kTick;
    up = &world.fabric.links[world.fabric.nodes[1].first_link];
    down = &world.fabric.links[up->reverse];
  }
  ExchangePeriod period() const { return exchange_period(world, rank_of_node); }
};

TEST(ExchangePeriod, IsHalfTheLeastLatencyInWholeTicks) {
  CutStar s;
  s.up->lambda_ps = 5 * kTick + 1;
  const ExchangePeriod period = s.period();
  EXPECT_EQ(period.period_ps, 2 * kTick) << "2.5 ticks and a bit";
  EXPECT_EQ(period.latency_ps, 5 * kTick + 1);
  EXPECT_EQ(&s.world.fabric.links[period.link], s.up);
  EXPECT_FALSE(period.pause);
}

TEST(ExchangePeriod, HeedsPausesOnlyWhereTheyTravel) {
  CutStar s;
  s.up->phi_ps = 4 * kTick;
  EXPECT_EQ(s.period().period_ps, 2 * kTick);
  EXPECT_TRUE(s.period().pause);
  s.down->ingress = kNone;  // the NIC keeps no account any more that could send pauses up
  EXPECT_NE(s.up->ingress, kNone);
  EXPECT_EQ(s.period().period_ps, oracle::kTinyLambda / 2 / kTick * kTick);
  s.down->phi_ps = 6 * kTick;  // but the switch keeps one for packets from the NIC
  EXPECT_EQ(s.period().period_ps, 3 * kTick);
}

TEST(ExchangePeriod, LeavesTimeToKnowOfAFailure) {
  CutStar s;
  s.world.clocks.epoch_ps = 2 * kTick;
  EXPECT_EQ(s.period().period_ps, 7 * kTick);  // half of seven epochs
  EXPECT_EQ(s.period().link, kNone);
  s.rank_of_node = {0, 0, 0};  // the same when nothing is cut
  EXPECT_EQ(s.period().period_ps, 7 * kTick);
  EXPECT_EQ(s.period().latency_ps, kNever);
}

TEST(ExchangePeriod, IsHalfATickWhereTicksAreTooLong) {
  CutStar s;
  s.up->lambda_ps = 2 * kTick - 1;
  EXPECT_EQ(s.period().period_ps, kTick / 2);
  s.world.clocks.tick_ps = 2 * kTick - 1;  // odd
  EXPECT_EQ(s.period().period_ps, kTick - 1);
}

TEST(ExchangePeriod, OfLessThanAPicosecondIsRefused) {
  CutStar s;
  s.world.clocks.tick_ps = 1;
  s.up->lambda_ps = 2;
  EXPECT_EQ(s.period().period_ps, 1);
  s.up->lambda_ps = 1;
  EXPECT_THROW(s.period(), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
