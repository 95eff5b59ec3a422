// Words from one process to another by MPI, however many.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/boundary/word_buffer.hpp"

namespace heddle {

/// MPI counts in int. Throws std::runtime_error for more.
int mpi_count(std::size_t words);

/// How many words the first message of one direction between two processes may hold. It follows from the lengths of all
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

/// In every round at most one message to, and one from, each process of a communicator. What is handed over must stay
/// where it is until end(). Errors of MPI end all processes (MPI_ERRORS_ARE_FATAL).
class Messages {
 public:
  /// The communicator must outlive it.
  explicit Messages(MPI_Comm comm);
  /// Has a place waiting in `in`; what it held is lost.
  void begin_receive(u32 from, WordBuffer& in);
  void begin_send(u32 to, std::span<const u64> words);
  /// Waits for all that was begun: every `in` holds what was sent to it.
  void end();

 private:
  /// What goes between this process and another.
  struct Peer {
    FirstMessage to, from;
  };
  struct Awaited {
    u32 from;
    WordBuffer* in;
  };

  void send(std::span<const u64> words, u32 to, int tag);
  void receive_whole(const Awaited& awaited);

  MPI_Comm comm_;
  std::vector<Peer> peers_;  // by rank of the communicator
  std::vector<Awaited> awaited_;
  std::vector<MPI_Request> sends_, receives_;  // receives: as awaited_
};

}  // namespace heddle
