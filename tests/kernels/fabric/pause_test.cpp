// Pauses as the sending end sees them: when a class may start, and how long it was paused (MODEL.md, 5.1 and 6.4).
#include "kernels/fabric/pause.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace heddle {
namespace {

/// One link (0) whose receiver (link 1 is its egress the other way) has decided `changes` (time, pause?).
class PauseLine {
 public:
  explicit PauseLine(std::vector<std::pair<TimePs, bool>> changes, u32 first_position = 0) {
    view.settings.pfc_classes = 1;
    reader.head = first_position;
    tail[0] = first_position + static_cast<u32>(changes.size());
    for (u32 i = 0; i < changes.size(); ++i) {
      ring[(first_position + i) & 63] = (static_cast<u64>(changes[i].first) << 1) | (changes[i].second ? 1 : 0);
    }
    egress[0].reverse = 1;
    ingress[1].pause_first = 0;
    ingress[1].pause_mask = 63;
    view.egress = egress;
    view.ingress = ingress;
    view.pause_change = ring;
    view.pause_tail[0] = tail;
    view.pause_reader = &reader;
  }
  PauseTimeline timeline() { return PauseTimeline(view, 0, 0, 0); }

  View view;
  Egress egress[2];
  IngressPort ingress[2];
  u64 ring[64] = {};
  u32 tail[2] = {};
  PauseReader reader;
};

TEST(PauseTimeline, NothingInSight) {
  PauseLine line({});
  EXPECT_TRUE(line.timeline().idle());
  EXPECT_EQ(line.timeline().allowed_from(5, 100), 5);
  EXPECT_EQ(line.timeline().next_change_ps(), kNever);
}

TEST(PauseTimeline, PauseAtPForbidsStartsFromPAndResumeAtPAllowsThem) {
  for (const u32 position : {0u, 0xfffffffeu}) {  // positions wrap around 2^32
    PauseLine line({{100, true}, {200, false}}, position);
    EXPECT_EQ(line.timeline().allowed_from(99, 1000), 99);
    EXPECT_EQ(line.timeline().allowed_from(100, 1000), 200);
    EXPECT_EQ(line.timeline().allowed_from(200, 1000), 200);
    EXPECT_TRUE(line.timeline().idle());
    EXPECT_EQ(line.reader.total_ps, 100u);
  }
}

/// The watchdog checks the instant at which a pause ends while a packet waits. Random world 50001718 found that this
/// packet then started before the pause had ended.
TEST(PauseTimeline, WhoLooksAheadOfTheStartsAppliesNothing) {
  PauseLine line({{100, true}, {200, false}, {300, true}, {300, false}, {300, true}});
  EXPECT_FALSE(line.timeline().still_paused(100)) << "begins then";
  EXPECT_TRUE(line.timeline().still_paused(101));
  EXPECT_TRUE(line.timeline().still_paused(199));
  EXPECT_FALSE(line.timeline().still_paused(200));
  EXPECT_EQ(line.timeline().allowed_from(150, 1000), 200);
  EXPECT_FALSE(line.timeline().still_paused(300));
  EXPECT_TRUE(line.timeline().still_paused(301));
}

TEST(PauseTimeline, LooksOnlyToTheEndOfTheWindow) {
  PauseLine line({{100, true}, {200, false}});
  EXPECT_EQ(line.timeline().allowed_from(150, 180), 180) << "no start in this window";
  EXPECT_TRUE(line.timeline().paused());
  EXPECT_EQ(line.timeline().next_change_ps(), 200);
  EXPECT_EQ(line.timeline().allowed_from(180, 1000), 200);
}

TEST(PauseTimeline, ChangesAtOneInstantApplyInOrder) {
  PauseLine paused({{100, false}, {100, true}});
  EXPECT_EQ(paused.timeline().allowed_from(100, 1000), 1000);
  PauseLine open({{100, true}, {100, false}});
  EXPECT_EQ(open.timeline().allowed_from(100, 1000), 100);
}

TEST(PauseTimeline, ARunOfChangesAgainstTheObviousScan) {
  std::mt19937 random(7);
  for (u32 round = 0; round < 300; ++round) {
    std::vector<std::pair<TimePs, bool>> changes;
    TimePs t = 0;
    for (u32 i = random() % 30; i > 0; --i) changes.emplace_back(t += random() % 50, random() % 2 == 0);
    const auto paused_at = [&](TimePs at) {
      bool paused = false;
      for (const auto& [when, pause] : changes) paused = when <= at ? pause : paused;
      return paused;
    };
    PauseLine line(changes);
    for (TimePs at = 0, to = 100; at < 1500; at += 1 + random() % 40) {
      while (to <= at) to += 100;
      TimePs expected = at;
      while (expected < to && paused_at(expected)) ++expected;
      ASSERT_EQ(line.timeline().allowed_from(at, to), expected) << "round " << round << " at " << at;
    }
    u64 paused_ps = 0;
    for (TimePs at = 0; at < t; ++at) paused_ps += paused_at(at) ? 1 : 0;
    line.timeline().consume_up_to(t);
    if (!line.timeline().paused()) {
      EXPECT_EQ(line.reader.total_ps, paused_ps);
    }
  }
}

}  // namespace
}  // namespace heddle
