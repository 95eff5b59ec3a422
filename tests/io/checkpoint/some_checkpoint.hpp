// A checkpoint for tests: sections that are empty, short, and longer than a chunk.
#pragma once

#include <string>
#include <vector>

#include "io/checkpoint/writer.hpp"

namespace heddle::test {

CheckpointHeader some_header(TimePs time_ps = 1'000'000);

/// `count` words that follow from the seed.
std::vector<u64> some_words(u64 seed, u64 count);

/// Writes and finishes one with a section of that many words. Returns the path.
std::string write_checkpoint(const std::string& path, const CheckpointHeader& header = some_header(),
                             u64 count = 300'000);

/// What lies beside a checkpoint while it is written: its temporary files.
std::vector<std::string> temporaries_of(const std::string& path);

}  // namespace heddle::test
