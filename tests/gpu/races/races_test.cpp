// No two blocks that CUDA leaves unordered may touch the same byte, but to read it or atomically: checked on random
// worlds with every access of the emulated GPU. (Results cannot show it: there, blocks run one after the other.)
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/gpu/plain_worlds.hpp"
#include "tests/gpu/races/control_kernels.hpp"
#include "tests/gpu/races/watched_run.hpp"

namespace heddle::property {
namespace {

using cuda_on_cpu::races::Found;
using cuda_on_cpu::races::take_found;

/// HEDDLE_RACE_WORLDS: number of random worlds.
u64 worlds() {
  const char* value = std::getenv("HEDDLE_RACE_WORLDS");
  return value == nullptr ? 120 : std::strtoull(value, nullptr, 10);
}

TEST(Races, TheCheckTellsKernelsThatRaceFromOthers) {
  for (const auto& control : cuda_on_cpu::races::controls()) {
    take_found();
    control.run();
    const Found found = take_found();
    EXPECT_EQ(!found.races.empty(), control.races) << control.name << "\n" << text_of(found.races);
    if (control.races && !found.races.empty()) {
      EXPECT_NE(text_of(found.races).find("control_kernels.cpp:"), std::string::npos) << text_of(found.races);
    }
  }
}

TEST(Races, NoneBetweenBlocksOfATick) {
  ASSERT_GT(worlds(), 0u);
  u64 blocks = 0;
  for (u64 seed = 1; seed <= worlds(); ++seed) {
    const Found found = found_in(seed, seed % 4 == 0 ? 2 : 1);
    EXPECT_TRUE(found.races.empty()) << "world " << seed << ", kinds: " << found.races.size() << "\n"
                                     << text_of(found.races);
    blocks += found.seen.blocks;
  }
  RecordProperty("blocks", std::to_string(blocks));
  EXPECT_GT(blocks / worlds(), 1000u) << "a tick has a block for each switch, and one for 32 NICs";
}

TEST(Races, NoneWhereSwitchesRunByPorts) {
  for (const u64 seed : plain_seeds(worlds() / 8)) {
    const Found found = found_in(seed, seed % 4 == 0 ? 2 : 1, true);
    EXPECT_TRUE(found.races.empty()) << "world " << seed << "\n" << text_of(found.races);
  }
}

}  // namespace
}  // namespace heddle::property
