// The check finds the race of a program in which switches publish under the parity that others read in the same tick.
#include <gtest/gtest.h>

#include "tests/gpu/races/watched_run.hpp"

namespace heddle::property {
namespace {

TEST(RacesOfAFault, AreFound) {
  std::string text;
  for (const u64 seed : {25, 30, 39}) {  // worlds that end in spite of the race, which corrupts state
    try {
      text += text_of(found_in(seed, 1).races);
    } catch (const std::exception&) {  // the race makes results wrong, too
      text += text_of(cuda_on_cpu::races::take_found().races);
    }
  }
  EXPECT_NE(text.find("egress.hpp"), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::property
