#include "partition/halo/mpi_exchange.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // of Open MPI and those that follow it: whether it was built with CUDA
#endif

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace heddle {
namespace {

constexpr int kFirstTag = 1, kWholeTag = 2;

/// MPI counts in int.
int count_of(std::size_t words) {
  if (words > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("ranks: " + std::to_string(words) +
                             " words are more than MPI can send at once; use more ranks, or a shorter series interval");
  }
  return static_cast<int>(words);
}

/// Cuts what MPI laid one after the other.
std::vector<std::vector<u64>> cut(const std::vector<u64>& all, const std::vector<int>& counts) {
  std::vector<std::vector<u64>> parts;
  auto first = all.begin();
  for (int count : counts) {
    parts.emplace_back(first, first + count);
    first += count;
  }
  return parts;
}

/// Where each part begins; the total last.
std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets = {0};
  std::size_t total = 0;
  for (int count : counts) offsets.push_back(count_of(total += static_cast<std::size_t>(count)));
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
  peers_.resize(ranks_);
}

MpiExchange::~MpiExchange() { MPI_Comm_free(&comm_); }

bool MpiExchange::reaches_device_memory() const {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

void MpiExchange::begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) {
  neighbours_.assign(neighbours.begin(), neighbours.end());
  in_ = in;
  receives_.resize(neighbours_.size());
  sends_.clear();
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const u64 most = peers_[neighbours_[n]].from.most_words();
    in_[n].make_room(most);
    MPI_Irecv(in_[n].data(), count_of(most), MPI_UINT64_T, static_cast<int>(neighbours_[n]), kFirstTag, comm_,
              &receives_[n]);
  }
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    FirstMessage& first = peers_[neighbours_[n]].to;
    const std::span<const u64> words = out[n].words();
    const u64 most = first.most_words();
    send(words.first(std::min<u64>(words.size(), most)), neighbours_[n], kFirstTag);
    if (words.size() >= most) send(words, neighbours_[n], kWholeTag);
    first.sent(words.size());
  }
}

void MpiExchange::send(std::span<const u64> words, u32 rank, int tag) {
  MPI_Isend(words.data(), count_of(words.size()), MPI_UINT64_T, static_cast<int>(rank), tag, comm_,
            &sends_.emplace_back());
}

void MpiExchange::end() {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    FirstMessage& first = peers_[neighbours_[n]].from;
    MPI_Status status;
    int count = 0;
    MPI_Wait(&receives_[n], &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    in_[n].resize(static_cast<u64>(count));
    if (in_[n].words().size() == first.most_words()) receive_whole(neighbours_[n], in_[n]);
    first.sent(in_[n].words().size());
  }
  MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
}

/// A first message that is full is followed by all of it. (By the rest alone, the buffer would have to keep what it
/// holds as it grows, wherever it lies.)
void MpiExchange::receive_whole(u32 rank, WordBuffer& in) {
  MPI_Message message;
  MPI_Status status;
  int count = 0;
  MPI_Mprobe(static_cast<int>(rank), kWholeTag, comm_, &message, &status);
  MPI_Get_count(&status, MPI_UINT64_T, &count);
  in.make_room(static_cast<u64>(count));
  in.resize(static_cast<u64>(count));
  MPI_Mrecv(in.data(), count, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
}

void MpiExchange::begin_least(std::span<const i64> words) {
  mine_.assign(words.begin(), words.end());
  least_.resize(mine_.size());
  MPI_Iallreduce(mine_.data(), least_.data(), count_of(mine_.size()), MPI_INT64_T, MPI_MIN, comm_, &least_request_);
}

std::vector<i64> MpiExchange::end_least() {
  MPI_Wait(&least_request_, MPI_STATUS_IGNORE);
  return least_;
}

std::vector<i64> MpiExchange::least(std::span<const i64> words) {
  std::vector<i64> least(words.size());
  MPI_Allreduce(words.data(), least.data(), count_of(words.size()), MPI_INT64_T, MPI_MIN, comm_);
  return least;
}

void MpiExchange::sum(std::span<u64> words) {
  MPI_Allreduce(MPI_IN_PLACE, words.data(), count_of(words.size()), MPI_UINT64_T, MPI_SUM, comm_);
}

void MpiExchange::sum_at_first(std::span<u64> words) {
  const void* mine = rank_ == 0 ? MPI_IN_PLACE : words.data();
  MPI_Reduce(mine, words.data(), count_of(words.size()), MPI_UINT64_T, MPI_SUM, 0, comm_);
}

std::vector<std::vector<u64>> MpiExchange::gather(std::span<const u64> words) {
  const int mine = count_of(words.size());
  std::vector<int> counts(ranks_);
  MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
  const std::vector<int> offsets = offsets_of(counts);
  std::vector<u64> all(static_cast<std::size_t>(offsets.back()));
  MPI_Allgatherv(words.data(), mine, MPI_UINT64_T, all.data(), counts.data(), offsets.data(), MPI_UINT64_T, comm_);
  return cut(all, counts);
}

std::vector<std::vector<u64>> MpiExchange::gather_at_first(std::span<const u64> words) {
  const int mine = count_of(words.size());
  std::vector<int> counts(rank_ == 0 ? ranks_ : 0);
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_);
  const std::vector<int> offsets = offsets_of(counts);
  std::vector<u64> all(static_cast<std::size_t>(offsets.back()));
  MPI_Gatherv(words.data(), mine, MPI_UINT64_T, all.data(), counts.data(), offsets.data(), MPI_UINT64_T, 0, comm_);
  return cut(all, counts);
}

}  // namespace heddle
