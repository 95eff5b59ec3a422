// The canonical order of events, and ordered runs of events that are merged into one.
#include "kernels/outcome/events.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

/// Pseudo-random events, many of which have most fields in common.
std::vector<Event> some_events(u32 count, TimePs from_ps) {
  std::vector<Event> events;
  u64 state = static_cast<u64>(from_ps) + 1;
  for (u32 i = 0; i < count; ++i) {
    state = mix64(state + 0x9e3779b97f4a7c15ull);
    const auto part = [&](u32 bit, u64 n) { return (state >> bit) % n; };
    events.push_back({from_ps + static_cast<TimePs>(part(0, 20)), part(8, 2), static_cast<NodeId>(part(16, 3)),
                      static_cast<u16>(part(24, 3)), static_cast<u8>(part(32, 2)), static_cast<EventKind>(part(40, 3)),
                      static_cast<u32>(part(48, 2))});
  }
  return events;
}

TEST(Events, TheOrderIsThatOfAllThatTheySay) {
  const std::vector<Event> events = some_events(400, 0);
  for (const Event& a : events) {
    for (const Event& b : events) ASSERT_EQ(EarlierEvent()(a, b), order_of(a) < order_of(b));
  }
}

TEST(Events, RunsThatOverlapBecomeOne) {
  std::vector<Event> merged, all;
  for (const TimePs from_ps : {0, 15, 5, 60, 200, 190, 0}) {
    std::vector<Event> run = some_events(static_cast<u32>(from_ps % 40) * 3, from_ps);
    sort_events(run);
    all.insert(all.end(), run.begin(), run.end());
    const std::size_t middle = merged.size();
    merged.insert(merged.end(), run.begin(), run.end());
    merge_events(merged, middle);
    ASSERT_TRUE(std::is_sorted(merged.begin(), merged.end(), EarlierEvent())) << from_ps;
  }
  sort_events(all);
  ASSERT_EQ(merged.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(order_of(merged[i]) == order_of(all[i])) << i;
}

}  // namespace
}  // namespace heddle
