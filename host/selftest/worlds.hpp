// The small Worlds of `heddle selftest`: together they cover every part of the model that computes on its own.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// A World of the test. Its name tells its purpose; its seed draws sizes, pairs and hashes.
struct SelfTestWorld {
  std::string name;
  u64 seed = 1;
  std::string toml;  // reads no files
};

/// The number of kinds: the least number of Worlds that cover everything.
u32 self_test_kinds();

/// The World with this number, from 0: the kinds in turn, then all of them with the next seed.
SelfTestWorld self_test_world(u32 number);

}  // namespace heddle
