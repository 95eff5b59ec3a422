#include "partition/exchange/mpi_exchange.hpp"

#include <cstddef>

#include "partition/exchange/messages.hpp"

namespace heddle {
namespace {

/// Splits the buffer that MPI has gathered.
std::vector<std::vector<u64>> cut(const std::vector<u64>& all, const std::vector<int>& counts) {
  std::vector<std::vector<u64>> parts;
  auto first = all.begin();
  for (int count : counts) {
    parts.emplace_back(first, first + count);
    first += count;
  }
  return parts;
}

/// The offsets of the parts; the total last.
std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets = {0};
  std::size_t total = 0;
  for (int count : counts) offsets.push_back(mpi_count(total += static_cast<std::size_t>(count)));
  return offsets;
}

}  // namespace

MpiExchange::MpiExchange() {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm_, &rank);
  MPI_Comm_size(comm_, &ranks);
  rank_ = static_cast<u32>(rank);
  ranks_ = static_cast<u32>(ranks);
}

MpiExchange::~MpiExchange() { MPI_Comm_free(&comm_); }

void MpiExchange::begin_min(std::span<const i64> words) {
  mine_.assign(words.begin(), words.end());
  minimum_.resize(mine_.size());
  MPI_Iallreduce(mine_.data(), minimum_.data(), mpi_count(mine_.size()), MPI_INT64_T, MPI_MIN, comm_, &min_request_);
}

std::vector<i64> MpiExchange::end_min() {
  MPI_Wait(&min_request_, MPI_STATUS_IGNORE);
  return minimum_;
}

std::vector<i64> MpiExchange::min(std::span<const i64> words) {
  std::vector<i64> minimum(words.size());
  MPI_Allreduce(words.data(), minimum.data(), mpi_count(words.size()), MPI_INT64_T, MPI_MIN, comm_);
  return minimum;
}

void MpiExchange::sum(std::span<u64> words) {
  MPI_Allreduce(MPI_IN_PLACE, words.data(), mpi_count(words.size()), MPI_UINT64_T, MPI_SUM, comm_);
}

void MpiExchange::sum_at_first(std::span<u64> words) {
  const void* mine = rank_ == 0 ? MPI_IN_PLACE : words.data();
  MPI_Reduce(mine, words.data(), mpi_count(words.size()), MPI_UINT64_T, MPI_SUM, 0, comm_);
}

std::vector<std::vector<u64>> MpiExchange::gather(std::span<const u64> words) {
  const int mine = mpi_count(words.size());
  std::vector<int> counts(ranks_);
  MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
  const std::vector<int> offsets = offsets_of(counts);
  std::vector<u64> all(static_cast<std::size_t>(offsets.back()));
  MPI_Allgatherv(words.data(), mine, MPI_UINT64_T, all.data(), counts.data(), offsets.data(), MPI_UINT64_T, comm_);
  return cut(all, counts);
}

std::vector<std::vector<u64>> MpiExchange::gather_at_first(std::span<const u64> words) {
  const int mine = mpi_count(words.size());
  std::vector<int> counts(rank_ == 0 ? ranks_ : 0);
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_);
  const std::vector<int> offsets = offsets_of(counts);
  std::vector<u64> all(static_cast<std::size_t>(offsets.back()));
  MPI_Gatherv(words.data(), mine, MPI_UINT64_T, all.data(), counts.data(), offsets.data(), MPI_UINT64_T, 0, comm_);
  return cut(all, counts);
}

}  // namespace heddle
