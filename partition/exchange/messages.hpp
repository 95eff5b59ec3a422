// Words from one process to another by MPI, in any number.
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

/// A count for MPI, which uses int. Throws std::runtime_error for more.
int mpi_count(std::size_t words);

/// How many words the first message of one direction between two processes may hold. It follows from the lengths of all
/// earlier ones, which both ends know, so that the receiver can post its buffer before the message arrives. A longer
/// message is followed by a second one with all words; that happens at most once per doubling.
class FirstMessage {
 public:
  u64 max_words() const { return max_words_; }
  /// Notes the total of words sent; as many will fit from now on, and one more.
  void sent(u64 words) { max_words_ = std::clamp(std::bit_ceil(words + 1), max_words_, kLargest); }

 private:
  static constexpr u64 kLargest = u64{1} << 30;  // MPI counts in int
  u64 max_words_ = 4096;
};

/// In every round at most one message to, and one from, each process of a communicator. Buffers must stay in place
/// until end(). Errors of MPI end all processes (MPI_ERRORS_ARE_FATAL).
class Messages {
 public:
  /// The communicator must outlive the object.
  explicit Messages(MPI_Comm comm);
  /// Posts `in` as the receive buffer; its former content is lost.
  void begin_receive(u32 from, WordBuffer& in);
  void begin_send(u32 to, std::span<const u64> words);
  /// Waits for all messages: every `in` then holds the words sent to it.
  void end();

 private:
  /// The state of the messages between this process and another.
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
  std::vector<MPI_Request> sends_, receives_;  // receives: in the order of awaited_
};

}  // namespace heddle
