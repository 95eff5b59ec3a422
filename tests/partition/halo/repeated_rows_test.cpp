// Rows that lie in time that repeats itself.
#include "partition/halo/repeated_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

/// A link that sends 10 bytes per ps for the first half of every period of 100 ps.
LinkCounters at(TimePs t) {
  const TimePs whole = t / 100, rest = t % 100;
  LinkCounters c;
  c.sent_bytes = static_cast<u64>(whole * 500 + std::min<TimePs>(rest, 50) * 10);
  c.queue_bytes = static_cast<u64>(rest);
  c.paused_ps = static_cast<u64>(whole * 3);
  return c;
}

TEST(RepeatedRows, AreWhatWouldHaveBeenCounted) {
  constexpr TimePs kStart = 1'000, kInterval = 30;
  RepeatedRows rows(1, kStart, 100, kInterval);
  ASSERT_EQ(rows.plan(1'010, 7), 7u);
  rows.first()[0] = at(kStart);
  const std::vector<TimePs> instants = rows.instants_ps();
  EXPECT_TRUE(std::ranges::is_sorted(instants));
  EXPECT_EQ(instants.size(), 10u) << "three rows a period, at another place in each, until the tenth";
  for (const TimePs t : instants) {
    EXPECT_GE(t, kStart);
    EXPECT_LT(t, kStart + 100);
    rows.at(t)[0] = at(t);
  }
  const std::vector<LinkCounters> last = {at(kStart + 100)};
  rows.end_period(last);
  for (TimePs row = 1'010; row <= kStart + 700; row += kInterval) {
    std::vector<LinkCounters> counters(1);
    rows.read(row, counters);
    EXPECT_EQ(counters[0], at(row)) << row;
  }
}

TEST(RepeatedRows, ARowAtTheVeryEndBelongsToThem) {
  RepeatedRows rows(1, 0, 100, 100);
  EXPECT_EQ(rows.plan(100, 3), 3u);
  EXPECT_EQ(rows.instants_ps(), std::vector<TimePs>{0});
}

/// 256 MiB are room for the counters of 6.7 million links once.
TEST(RepeatedRows, AreSoManyAsFitIntoMemory) {
  RepeatedRows rows(3'000'000, 0, 100, 30);
  EXPECT_EQ(rows.plan(10, 1'000), 0u);
  RepeatedRows few(3'000'000, 0, 100, 90);
  EXPECT_EQ(few.plan(10, 1'000), 1u) << "rows at 10, 100 (at place 0), and one at 190 too many";
}

}  // namespace
}  // namespace heddle
