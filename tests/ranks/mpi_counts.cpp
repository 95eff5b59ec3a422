#include "tests/ranks/mpi_counts.hpp"

#include <mpi.h>

namespace heddle {
namespace {

MpiCounts counts;

}  // namespace

const MpiCounts& mpi_counts() { return counts; }

}  // namespace heddle

/// In place of MPI's own, which it calls.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++heddle::counts.messages;
  heddle::counts.bytes += static_cast<heddle::u64>(count) * static_cast<heddle::u64>(size);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
