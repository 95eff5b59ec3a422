// Which runs are plain: their passes omit features that such a run must not have.
#include "kernels/state/plain.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Control packets are in class 0, data under PFC in class 1.
Settings usual() {
  Settings s;
  s.classes = 2;
  s.pfc_classes = 1;
  s.pfc_index[0] = kNone;
  s.pfc_index[1] = 0;
  s.pfc_class[0] = 1;
  return s;
}

TEST(PlainRun, HasControlAndDataUnderPfc) {
  EXPECT_TRUE(is_plain_run(usual()));
  Settings more = usual(), bare = usual(), control = usual();
  more.classes = 3;
  bare.pfc_classes = 0;
  control.pfc_class[0] = 0;
  EXPECT_FALSE(is_plain_run(more));
  EXPECT_FALSE(is_plain_run(bare));
  EXPECT_FALSE(is_plain_run(control));
}

TEST(PlainRun, HasNoneOfTheOptions) {
  for (bool Settings::*option :
       {&Settings::links_fail, &Settings::slow_nics, &Settings::keeps_route_state, &Settings::samples_queues,
        &Settings::ecn_at_arrival, &Settings::any_tcp, &Settings::any_batches}) {
    Settings s = usual();
    s.*option = true;
    EXPECT_FALSE(is_plain_run(s));
  }
  Settings watched = usual();
  watched.watchdog_ps = 1;
  EXPECT_FALSE(is_plain_run(watched));
}

}  // namespace
}  // namespace heddle
