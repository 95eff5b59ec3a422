// The window of a sender: PSNs of 24 bits limit it.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "kernels/instantiate/instantiate.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

u32 window_of(u32 configured) {
  World world = oracle::star(2);
  world.roce.window_packets = configured;
  oracle::add_qp(world, 0, 1, {{4096, 0}});
  Model model;
  instantiate(world, {.memory_limit_bytes = 64 << 20}, model);
  return model.view.settings.roce.window_packets;
}

TEST(Window, IsAtMostHalfOfThePsnSpace) {
  EXPECT_EQ(window_of(7), 7u);
  EXPECT_EQ(window_of((1u << 23) - 1), (1u << 23) - 1);
  EXPECT_EQ(window_of(0), (1u << 23) - 1) << "none configured";
  EXPECT_THROW(window_of(1u << 23), std::invalid_argument);
}

TEST(Window, IsAtMostWhatAReceiverKeepsTrackOfWithSelectiveRepeat) {
  RoceSettings roce;
  EXPECT_EQ(window_of(roce), kPsnWindowPackets);
  roce.recovery = Recovery::selective_repeat;
  EXPECT_EQ(window_of(roce), 1024u);
  roce.window_packets = 30;
  EXPECT_EQ(window_of(roce), 30u);
}

TEST(Window, OfSelectiveRepeatIsAPowerOfTwoThatTheDistanceFitsInto) {
  const auto refusal = [](u32 window, u32 distance) {
    World world = oracle::star(2);
    world.roce.recovery = Recovery::selective_repeat;
    world.roce.reorder_window_packets = window;
    world.roce.reorder_distance_packets = distance;
    Model model;
    return test::message_of<std::invalid_argument>(
        [&] { instantiate(world, {.memory_limit_bytes = 64 << 20}, model); });
  };
  EXPECT_EQ(refusal(64, 63), "");
  EXPECT_EQ(refusal(65536, 1), "");
  for (const u32 window : {32u, 96u, 131072u})
    EXPECT_NE(refusal(window, 1).find("power of two from 64 to 65536"), std::string::npos) << window;
  for (const u32 distance : {0u, 64u})
    EXPECT_NE(refusal(64, distance).find("less than roce.reorder_window_packets"), std::string::npos) << distance;
}

// An answer for a full window, and a packet at its end, are extended to the right PSN.
TEST(Window, ExtendsWhatLiesWithinIt) {
  for (const u32 near : {0u, 5u, 0x7fffffu, 0x800000u, 0xffffffu, 0x1000000u, 0xfffffffeu}) {
    for (const u32 ahead : {0u, 1u, kPsnWindowPackets}) {
      EXPECT_EQ(extend24((near + ahead) & 0xffffff, near), near + ahead);
      EXPECT_EQ(extend24((near - ahead) & 0xffffff, near), near - ahead);
    }
  }
}

}  // namespace
}  // namespace heddle
