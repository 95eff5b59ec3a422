// Ranks as MPI processes.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <bit>

#include "partition/halo/exchange.hpp"

namespace heddle {

/// How many words the first message of one direction between two ranks may hold. It follows from the lengths of all
/// earlier ones, which both ends know, so that the receiver has a place waiting before the message comes. What is
/// longer is sent again as a whole in a second message; that happens at most once per doubling.
class FirstMessage {
 public:
  u64 most_words() const { return most_words_; }
  /// So many words have been sent in all; as many will fit from now on, and one more.
  void sent(u64 words) { most_words_ = std::clamp(std::bit_ceil(words + 1), most_words_, kLargest); }

 private:
  static constexpr u64 kLargest = u64{1} << 30;  // MPI counts in int
  u64 most_words_ = 4096;
};

/// Over all processes of MPI_COMM_WORLD, in a communicator of its own. MPI must be initialised while it lives. Errors
/// of MPI end all processes (MPI_ERRORS_ARE_FATAL).
class MpiExchange final : public Exchange {
 public:
  MpiExchange();
  ~MpiExchange() override;
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  u32 rank() const override { return rank_; }
  u32 ranks() const override { return ranks_; }
  /// Whether this MPI says that it is CUDA-aware.
  bool reaches_device_memory() const override;
  void begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) override;
  void end() override;
  void begin_least(std::span<const i64> words) override;
  std::vector<i64> end_least() override;
  std::vector<i64> least(std::span<const i64> words) override;
  void sum(std::span<u64> words) override;
  void sum_at_first(std::span<u64> words) override;
  std::vector<std::vector<u64>> gather(std::span<const u64> words) override;
  std::vector<std::vector<u64>> gather_at_first(std::span<const u64> words) override;

 private:
  /// What goes between this rank and another.
  struct Peer {
    FirstMessage to, from;
  };

  void send(std::span<const u64> words, u32 rank, int tag);
  void receive_whole(u32 rank, WordBuffer& in);

  MPI_Comm comm_ = MPI_COMM_NULL;
  u32 rank_ = 0, ranks_ = 1;
  std::vector<Peer> peers_;  // [ranks]
  std::vector<u32> neighbours_;
  std::span<WordBuffer> in_;
  std::vector<MPI_Request> sends_, receives_;  // receives: by neighbour
  std::vector<i64> mine_, least_;
  MPI_Request least_request_ = MPI_REQUEST_NULL;
};

}  // namespace heddle
