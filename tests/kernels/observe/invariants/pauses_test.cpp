// PAUSE and RESUME: what the checker reports when they are corrupted. There is one lossless class, so a line is a link.
#include <gtest/gtest.h>

#include "tests/kernels/observe/invariants/checked_run.hpp"

namespace heddle {
namespace {

/// The pauses of the link that comes into a switch port: `own` is that port's egress, `link` the incoming link.
struct Line {
  u32 own, link;
  PauseReader& reader;
  u32 decided;
  u64& change(const View& v, u32 i) const {
    const IngressPort& port = v.ingress[own];
    return v.pause_change[port.pause_first + (i & port.pause_mask)];
  }
};

/// Corrupts the first line of a switch that f accepts.
template <class F>
std::string spoil_line(const F& f, const World& world = incast_world()) {
  CheckedRun run(world);
  return run.spoil([&](CheckedRun& r) {
    const View& v = r.model.view;
    return r.any_switch_queue(1, [&](u32 q) {
      const u32 own = r.link_of(q), link = v.egress[own].reverse;
      return f(r, Line{own, link, v.pause_reader[link], v.pause_tail[r.done.parity][link]});
    });
  });
}

TEST(InvariantPauses, AlternateWhereTheyAreDecided) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (line.decided != 2) return false;
                 r.model.view.account[line.own].pausing ^= 1;
                 return true;
               }),
               "PAUSE and RESUME do not alternate where they are decided");
}

TEST(InvariantPauses, AlternateWhereTheyTakeEffect) {
  EXPECT_FOUND(spoil_line([](CheckedRun&, const Line& line) {
                 if (line.reader.head != 1) return false;
                 line.reader.paused = 0;
                 return true;
               }),
               "PAUSE and RESUME do not alternate where they take effect");
}

TEST(InvariantPauses, AlternateOnTheWay) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (line.reader.head == line.decided) return false;
                 line.change(r.model.view, line.reader.head) ^= 1;
                 return true;
               }),
               "PAUSE and RESUME do not alternate on the way");
}

TEST(InvariantPauses, TakeEffectInOrder) {
  World hasty = incast_world();
  hasty.fabric.ingress[0] = {false, 9'000, 5'000, 300'000, 0};  // PAUSE and RESUME are in flight together
  EXPECT_FOUND(spoil_line(
                   [](CheckedRun& r, const Line& line) {
                     if (line.decided - line.reader.head < 2) return false;
                     line.change(r.model.view, line.reader.head) += u64{1'000'000'000} << 1;
                     return true;
                   },
                   hasty),
               "pause changes are out of order of time");
}

TEST(InvariantPauses, TravelAsLongAsAFrameMust) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (line.decided != 1 || line.reader.head != 0) return false;  // the first pause, decided just now
                 line.change(r.model.view, 0) = (static_cast<u64>(r.done.to_ps - 1) << 1) | 1;
                 return true;
               }),
               "a pause change takes effect sooner than a frame can be there");
}

TEST(InvariantPauses, TakeEffectInTheirTime) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (r.changes_before[line.link] == line.reader.head) return false;
                 line.change(r.model.view, line.reader.head - 1) += u64{1'000'000} << 1;
                 return true;
               }),
               "a pause change was in effect before its time");
}

TEST(InvariantPauses, AreObeyed) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 const u32 q = line.link * r.model.view.settings.classes + 1;
                 const bool paused_now = r.changes_before[line.link] + 1 == line.reader.head && line.reader.paused != 0;
                 if (!paused_now || r.before[q].sent == r.model.view.queue[q].sent) return false;
                 line.change(r.model.view, line.reader.head - 1) = (static_cast<u64>(r.done.from_ps) << 1) | 1;
                 return true;
               }),
               "a packet was started towards this port");
}

TEST(InvariantPauses, FitTheirRing) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (line.decided == 0) return false;
                 r.model.view.pause_tail[r.done.parity][line.link] +=
                     2 * (r.model.view.ingress[line.own].pause_mask + 1);
                 return true;
               }),
               "more pause changes are on their way than fit their ring");
}

TEST(InvariantPauses, CountsDoNotGoBack) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (line.decided < 2) return false;
                 r.model.view.pause_tail[r.done.parity][line.link] -= 2;
                 return true;
               }),
               "the count of pause changes went back");
}

TEST(InvariantPauses, HaveEvents) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (line.decided == 0) return false;
                 ++r.tally.count[static_cast<u32>(EventKind::resume)];
                 return true;
               }),
               "PAUSE and RESUME events counted");
}

TEST(InvariantPauses, NeedAnAccount) {
  EXPECT_FOUND(spoil_line([](CheckedRun& r, const Line& line) {
                 if (line.decided == 0) return false;
                 r.model.view.ingress[line.own].profile = kNone;
                 return true;
               }),
               "a link without PFC is paused");
}

}  // namespace
}  // namespace heddle
