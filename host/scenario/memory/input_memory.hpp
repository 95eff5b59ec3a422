// Memory for the files that a configuration names, told from their sizes before they are read.
#pragma once

#include <string>

#include "host/config/config.hpp"
#include "host/scenario/memory/memory_need.hpp"

namespace heddle {

/// What reading takes at most at a time, beside the program.
struct InputMemory {
  u64 bytes = 0;
  std::string key, file;  // of the file that takes the most; empty: none is read
  u64 largest_bytes = 0;  // of that file
};

InputMemory input_memory(const Config& config);

/// Throws ConfigError, naming the file, when reading alone would exceed the budget. Files that cannot be read count as
/// nothing: who reads them says so.
void check_inputs(const Config& config, const MemoryBudget& budget);

}  // namespace heddle
