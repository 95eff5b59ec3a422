#include "partition/exchange/messages.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace heddle {
namespace {

constexpr int kFirstTag = 1, kWholeTag = 2;

}  // namespace

int mpi_count(std::size_t words) {
  if (words > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("ranks: " + std::to_string(words) +
                             " words are more than MPI can send at once; use more ranks, or a shorter series interval");
  }
  return static_cast<int>(words);
}

Messages::Messages(MPI_Comm comm) : comm_(comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  peers_.resize(static_cast<std::size_t>(size));
}

void Messages::begin_receive(u32 from, WordBuffer& in) {
  const u64 most = peers_[from].from.max_words();
  in.make_room(most);
  awaited_.push_back({from, &in});
  MPI_Irecv(in.data(), mpi_count(most), MPI_UINT64_T, static_cast<int>(from), kFirstTag, comm_,
            &receives_.emplace_back());
}

void Messages::begin_send(u32 to, std::span<const u64> words) {
  FirstMessage& first = peers_[to].to;
  const u64 most = first.max_words();
  send(words.first(std::min<u64>(words.size(), most)), to, kFirstTag);
  if (words.size() >= most) send(words, to, kWholeTag);
  first.sent(words.size());
}

void Messages::send(std::span<const u64> words, u32 to, int tag) {
  MPI_Isend(words.data(), mpi_count(words.size()), MPI_UINT64_T, static_cast<int>(to), tag, comm_,
            &sends_.emplace_back());
}

void Messages::end() {
  for (std::size_t i = 0; i < awaited_.size(); ++i) {
    WordBuffer& in = *awaited_[i].in;
    FirstMessage& first = peers_[awaited_[i].from].from;
    MPI_Status status;
    int count = 0;
    MPI_Wait(&receives_[i], &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    in.resize(static_cast<u64>(count));
    if (in.words().size() == first.max_words()) receive_whole(awaited_[i]);
    first.sent(in.words().size());
  }
  MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  awaited_.clear();
  receives_.clear();
  sends_.clear();
}

/// Receives the second message after a full first one: it has all words. (With the remaining words alone, the buffer
/// would have to keep its content as it grows, in host or GPU memory.)
void Messages::receive_whole(const Awaited& awaited) {
  MPI_Message message;
  MPI_Status status;
  int count = 0;
  MPI_Mprobe(static_cast<int>(awaited.from), kWholeTag, comm_, &message, &status);
  MPI_Get_count(&status, MPI_UINT64_T, &count);
  awaited.in->make_room(static_cast<u64>(count));
  awaited.in->resize(static_cast<u64>(count));
  MPI_Mrecv(awaited.in->data(), count, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
}

}  // namespace heddle
