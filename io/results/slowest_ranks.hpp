// The ranks for which the others of a collective waited.
#pragma once

#include <vector>

#include "io/results/input_file.hpp"
#include "io/results/reader.hpp"

namespace heddle {

/// Sets slowest_rank and slowest_gpu of collectives that have finished, from /event/completion: the lowest rank whose
/// event is at the collective's end. Leaves them unset where all ranks finished at once, and where some of the events
/// are not in the file.
void find_slowest_ranks(const InputFile& file, std::vector<CollectiveRow>& collectives);

}  // namespace heddle
