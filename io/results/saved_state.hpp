// The part of an open result file that a checkpoint keeps: its numbers of rows, and all that is only in memory.
#pragma once

#include <span>
#include <vector>

#include "io/results/killed_part.hpp"
#include "io/results/parts.hpp"

namespace heddle {

/// Appends it.
void save_state(const ResultParts& parts, std::vector<u64>& words);

/// Makes an empty file what the saved one was. Throws InputError when the words are not those of such a file, or the
/// rows of `killed` not those of then; and OutputError.
void restore_state(ResultParts& parts, std::span<const u64> words, const KilledPart& killed);

}  // namespace heddle
