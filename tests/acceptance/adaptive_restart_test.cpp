// Adaptive routing uses the queues of the latest epoch start. A run that is saved within an epoch still has them.
#include <gtest/gtest.h>

#include <string>

#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

/// 2 racks with 2 uplinks each, over which 8 GPUs send to 8, in epochs of several packets.
World zone() {
  std::string text =
      "[simulation]\nepoch = '1310720 ps'\n[topology]\nkind = 'ai_zone'\nracks = 2\ngpus_per_rack = 8\nctsws = 4\n"
      "uplinks_per_rtsw = 4\n[dcqcn]\nenabled = false\n[roce]\nrecovery = 'selective_repeat'\n[routing]\n"
      "policy = 'adaptive'\n[routing.adaptive]\ngrade = '64 B'\n";
  for (u32 src = 0; src < 8; ++src) {
    text += "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(8 + (src * 3) % 8) +
            "\nbytes = 2000000\n";
  }
  return world_of(text);
}

TEST(AdaptiveRestart, WithinAnEpoch) {
  const World world = zone();
  EngineOptions options;
  options.trace = true;
  const Outcome whole = run_engine(world, options);
  for (TimePs at_ps = world.clocks.epoch_ps * 5 + world.clocks.tick_ps; at_ps < world.clocks.epoch_ps * 12;
       at_ps += world.clocks.epoch_ps + 1000) {
    EXPECT_EQ(run_restarted(world, at_ps, options).event_digest, whole.event_digest) << "saved at " << at_ps;
  }
}

}  // namespace
}  // namespace heddle::acceptance
