// Memory for the files that a configuration names, estimated from their sizes before they are read.
#pragma once

#include <string>

#include "host/scenario/memory/memory_need.hpp"

namespace heddle {

struct Config;

/// What reading takes at most at a time, beside the program.
struct InputMemory {
  u64 bytes = 0;
  std::string key, file;  // the file that takes the most; empty: none is read
  u64 largest_bytes = 0;  // memory of that file
};

InputMemory input_memory(const Config& config);

/// Throws ConfigError, naming the file, when reading alone would exceed the budget. Unreadable files count as nothing:
/// their readers report them.
void check_inputs(const Config& config, const MemoryBudget& budget);

}  // namespace heddle
