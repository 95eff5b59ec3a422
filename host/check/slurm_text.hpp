// What to ask Slurm for.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// "slurm      #SBATCH --ntasks=4 --mem-per-cpu=2G --time=00:20:00 ...": for a run that takes about `bytes` in each of
/// `ranks` tasks and about `seconds` (0: that is not known, so no limit is proposed). A run takes at most 80 % of its
/// job's memory, and estimates are tens of percent off: half as much memory again, and twice the time.
std::string slurm_text(u32 ranks, u64 bytes, double seconds);

}  // namespace heddle
