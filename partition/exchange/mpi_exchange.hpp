// Ranks as MPI processes: the collective operations. Derived classes exchange the words of neighbours.
#pragma once

#include <mpi.h>

#include "partition/exchange/exchange.hpp"

namespace heddle {

/// An exchange over all processes of MPI_COMM_WORLD, in a communicator of its own. MPI must be initialised while it
/// lives. Errors of MPI end all processes (MPI_ERRORS_ARE_FATAL).
class MpiExchange : public Exchange {
 public:
  MpiExchange();
  ~MpiExchange() override;
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  u32 rank() const override { return rank_; }
  u32 ranks() const override { return ranks_; }
  void begin_min(std::span<const i64> words) override;
  std::vector<i64> end_min() override;
  std::vector<i64> min(std::span<const i64> words) override;
  void sum(std::span<u64> words) override;
  void sum_at_first(std::span<u64> words) override;
  std::vector<std::vector<u64>> gather(std::span<const u64> words) override;
  std::vector<std::vector<u64>> gather_at_first(std::span<const u64> words) override;

 protected:
  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  u32 rank_ = 0, ranks_ = 1;
  std::vector<i64> mine_, minimum_;
  MPI_Request min_request_ = MPI_REQUEST_NULL;
};

}  // namespace heddle
