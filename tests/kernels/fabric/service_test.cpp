// Which class is served next: strict first, then deficit round robin as in MODEL.md 5.2.
#include "kernels/fabric/service.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "kernels/team/serial.hpp"

namespace heddle {
namespace {

constexpr u32 kFrame = 1000;

/// Class 0 is strict; classes 1..3 are weighted with the given weights.
Settings weighted_settings(u32 w1, u32 w2, u32 w3) {
  Settings s;
  s.classes = 4;
  s.strict_mask = 1;
  s.weighted_mask = 0b1110;
  s.weighted_classes = 3;
  s.quantum_bytes[1] = w1 * kFrame;
  s.quantum_bytes[2] = w2 * kFrame;
  s.quantum_bytes[3] = w3 * kFrame;
  return s;
}

Drr initial_drr(const Settings& s) {
  Drr drr;
  drr.pointer = 1;
  drr.deficit[1] = s.quantum_bytes[1];
  return drr;
}

TEST(Service, StrictClassesComeFirst) {
  const Settings s = weighted_settings(1, 1, 1);
  Drr drr = initial_drr(s);
  EXPECT_EQ(choose_class<Serial>(s, &drr, 0b1111, [](u32) { return kFrame; }), 0u);
  EXPECT_EQ(drr.deficit[1], kFrame) << "deficits are not touched";
}

TEST(Service, FullFramesFollowTheWeights) {
  const Settings s = weighted_settings(2, 1, 3);
  Drr drr = initial_drr(s);
  std::string order;
  for (u32 i = 0; i < 12; ++i)
    order += std::to_string(choose_class<Serial>(s, &drr, 0b1110, [](u32) { return kFrame; }));
  EXPECT_EQ(order, "112333112333");
}

// By hand. Quanta 1000. Heads of class 1: 600 B, of class 2: 300 B.
//  start: p = 1, D1 = 1000 -> 1 (D1 400); 400 < 600: p = 2, D2 = 1000 -> 2 (700), 2 (400), 2 (100); p = 3 not eligible,
//  p = 1, D1 = 1400 -> 1 (800), 1 (200); p = 2, D2 = 1100 -> 2 (800), 2 (500), 2 (200); p = 1, D1 = 1200 -> 1, 1 (0).
TEST(Service, DeficitsByHand) {
  const Settings s = weighted_settings(1, 1, 1);
  Drr drr = initial_drr(s);
  const auto head = [](u32 c) { return c == 1 ? 600u : 300u; };
  std::string order;
  for (u32 i = 0; i < 11; ++i) order += std::to_string(serve_deficit(s, drr, 0b0110, head));
  EXPECT_EQ(order, "12221122211");
  EXPECT_EQ(drr.deficit[1], 0u);
  EXPECT_EQ(drr.deficit[2], 200u);
  EXPECT_EQ(drr.pointer, 1u);
}

TEST(Service, AClassThatHasNothingLosesItsDeficit) {
  const Settings s = weighted_settings(1, 1, 1);
  Drr drr = initial_drr(s);
  const auto head = [](u32) { return 900u; };
  EXPECT_EQ(serve_deficit(s, drr, 0b0110, head), 1u);
  EXPECT_EQ(serve_deficit(s, drr, 0b0110, head), 2u);
  EXPECT_EQ(drr.deficit[1], 100u);
  EXPECT_EQ(serve_deficit(s, drr, 0b1100, head), 3u);
  EXPECT_EQ(serve_deficit(s, drr, 0b1100, head), 2u) << "passes 1, which is not eligible";
  EXPECT_EQ(drr.deficit[1], 0u);
}

TEST(Service, OnlyOneClassIsTheSameWalk) {
  std::mt19937 random(1);
  for (u32 walk = 0; walk < 200; ++walk) {
    const Settings s = weighted_settings(1 + random() % 4, 1 + random() % 4, 1 + random() % 4);
    Drr a = initial_drr(s), b = a;
    for (u32 step = 0; step < 200; ++step) {
      u32 eligible = (random() % 7 + 1) << 1, head_bytes[4];
      for (u32& h : head_bytes) h = random() % 3 == 0 ? 1 + random() % (5 * kFrame) : 1 + random() % kFrame;
      const auto head = [&](u32 c) { return head_bytes[c]; };
      const u32 expected = serve_deficit(s, a, eligible, head);
      const bool alone = (eligible & (eligible - 1)) == 0;
      const u32 got = alone ? serve_only(s, b, expected, head(expected)) : serve_deficit(s, b, eligible, head);
      ASSERT_EQ(got, expected);
      ASSERT_EQ(a.pointer, b.pointer);
      for (u32 c = 0; c < kMaxClasses; ++c) ASSERT_EQ(a.deficit[c], b.deficit[c]) << "class " << c;
    }
  }
}

}  // namespace
}  // namespace heddle
