// The races that were found, each kind once, and how much was looked at.
#pragma once

#include <string>
#include <vector>

#include "tests/gpu/races/order.hpp"

namespace cuda_on_cpu::races {

/// Of all threads.
struct Seen {
  std::uint64_t launches = 0, blocks = 0;
  unsigned max_blocks = 0;  // of a launch
};
void count_launch(const Launch& launch);
void add_race(const Race& race);

/// What was seen, and one race of each pair of places in the program, since the last call.
struct Found {
  Seen seen;
  std::vector<Race> races;
};
Found take_found();

/// In words, with the lines of the program as addr2line says them.
std::string text_of(const Race& race);

}  // namespace cuda_on_cpu::races
