// The ranks for which the others of a collective waited.
#pragma once

#include <vector>

#include "io/results/input_file.hpp"
#include "io/results/reader.hpp"

namespace heddle {

/// Fills in slowest_rank and slowest_gpu of collectives that have finished, from /event/completion: the rank whose
/// event is that of the collective's end; of several, the lowest. Left out where all ranks finished at once, and where
/// the events are not all in the file.
void find_slowest_ranks(const InputFile& file, std::vector<CollectiveRow>& collectives);

}  // namespace heddle
