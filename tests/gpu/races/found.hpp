// The races that were found, each kind once, and the amount of work checked.
#pragma once

#include <string>
#include <vector>

#include "tests/gpu/races/order.hpp"

namespace cuda_on_cpu::races {

/// Sums over all threads.
struct Seen {
  std::uint64_t launches = 0, blocks = 0;
  unsigned max_blocks = 0;  // most blocks of a launch
};
void count_launch(const Launch& launch);
void add_race(const Race& race);

/// The work checked since the last call, and one race of each pair of places in the program.
struct Found {
  Seen seen;
  std::vector<Race> races;
};
Found take_found();

/// Returns a race as text, with the lines of the program from addr2line.
std::string text_of(const Race& race);

}  // namespace cuda_on_cpu::races
