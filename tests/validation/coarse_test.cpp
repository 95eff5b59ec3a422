// The peers' runs with coarse packets: are times as far off as they say? The truth is the same run with packets of one
// MTU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/base/units.hpp"
#include "tests/property/calibration.hpp"
#include "tests/validation/replay.hpp"

namespace heddle::validation {
namespace {

/// ns-3 cuts every time to nanoseconds, of which coarse packets make fewer, so it is refused: here it does not.
World to_the_picosecond(World world) {
  for (Link& link : world.fabric.links) link.ps_per_byte_q16 = speed_of(link.ps_per_byte_q16);
  world.congestion.whole_nanoseconds = false;
  return world;
}

TEST(Coarse, TimesOfThePeersRunsAreWithinTheirErrors) {
  property::Calibration all;
  for (const PeerCase& run : peer_cases()) {
    const property::CalibratedWorld result =
        property::calibrate(to_the_picosecond(world_of(run, settings_for(run.peer))), 0);
    const std::string name = fmt::format("{} of {}", run.name, name_of(run.peer));
    if (result.mtus_of_packet == 0) {
      fmt::print("{}: refused: {}\n", name, result.refusal);
      continue;
    }
    property::Calibration alone;
    alone.add(result);
    all.add(result);
    fmt::print("{}: packets of {} MTUs\n{}", name, result.mtus_of_packet, alone.text());
  }
  fmt::print("{}", all.text());
  EXPECT_GE(all.worlds(), 6u);
  EXPECT_GE(all.covered_share(), 0.95);
}

}  // namespace
}  // namespace heddle::validation
