// The part of an open result file that a checkpoint keeps: its numbers of rows, and everything that is only in memory.
#pragma once

#include <span>
#include <vector>

#include "io/results/killed_part.hpp"
#include "io/results/parts.hpp"

namespace heddle {

/// Appends the state of `parts`.
void save_state(const ResultParts& parts, std::vector<u64>& words);

/// Restores an empty file to the saved state. Throws InputError when the words are not of such a file, or the rows of
/// `killed` are not those that were saved; and OutputError.
void restore_state(ResultParts& parts, std::span<const u64> words, const KilledPart& killed);

}  // namespace heddle
