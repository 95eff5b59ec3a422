// What this process hands to MPI_Isend, counted by MPI's own interface for that (PMPI).
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

struct MpiCounts {
  u64 messages = 0, bytes = 0;
};

/// Since the start of the process. What MPI sends within collective calls is not in it.
const MpiCounts& mpi_counts();

}  // namespace heddle
