// The small worlds of `heddle selftest`: together they touch every part of the model that computes on its own.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// One of them. What it stands for is in its name; its seed draws sizes, pairs and hashes.
struct SelfTestWorld {
  std::string name;
  u64 seed = 1;
  std::string toml;  // reads no files
};

/// How many kinds there are: so many worlds are the least that touch everything.
u32 self_test_kinds();

/// The number-th, from 0: the kinds in turn, then all of them with the next seed.
SelfTestWorld self_test_world(u32 number);

}  // namespace heddle
