// What coarse packets say of their error holds in random worlds.
#include "tests/property/calibration.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "host/build.hpp"
#include "tests/property/contended_world.hpp"

namespace heddle::property {
namespace {

/// HEDDLE_CALIBRATION_WORLDS: how many; heddle-calibration runs any number of them.
u64 number_of_worlds() {
  const char* given = std::getenv("HEDDLE_CALIBRATION_WORLDS");
  return given == nullptr ? HEDDLE_CALIBRATION_WORLDS : std::strtoull(given, nullptr, 10);
}

TEST(Calibration, TimesAreWithinTheirEstimates) {
  const u64 worlds = number_of_worlds();
  Calibration all;
  for (u64 seed = 1; seed <= worlds; ++seed) {
    const std::string text = contended_world(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    all.add(calibrate(build_world(load_config_text(text, "contended")), 0));
  }
  EXPECT_GE(all.covered_share(), 0.95) << all.text();
  EXPECT_GE(2 * all.worlds(), worlds) << "too few worlds allow coarse packets for this to say much\n" << all.text();
}

}  // namespace
}  // namespace heddle::property
