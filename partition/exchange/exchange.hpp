// The messages between ranks, as an interface: between processes by MPI, between threads in tests.
#pragma once

#include <span>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/boundary/word_buffer.hpp"

namespace heddle {

/// One rank's end. All ranks call the same functions in the same order; each call returns when all ranks have made it.
/// When another rank has failed, it throws or never returns.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual u32 rank() const = 0;
  virtual u32 ranks() const = 0;
  /// Whether words may be in the memory of a GPU.
  virtual bool reaches_device_memory() const { return false; }

  /// Begins to send out[n] to the rank neighbours[n], and to receive from it into in[n]. Neighbours are mutual. The
  /// call may wait for other ranks of the same machine to begin. All buffers must stay in place until end(); the former
  /// content of in[n] is lost.
  virtual void begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) = 0;
  /// Waits for the exchange that was begun.
  virtual void end() = 0;

  /// Begins to take the minimum of every word over all ranks.
  virtual void begin_min(std::span<const i64> words) = 0;
  /// Waits for the result; returns the minima.
  virtual std::vector<i64> end_min() = 0;

  /// Both in one call, also while an exchange has begun.
  virtual std::vector<i64> min(std::span<const i64> words) = 0;
  /// Sums of every word, mod 2^64, at all ranks.
  virtual void sum(std::span<u64> words) = 0;
  /// Sums at rank 0 alone; elsewhere `words` are unchanged.
  virtual void sum_at_first(std::span<u64> words) = 0;
  /// The words of every rank, by rank, at all ranks. Lengths may differ.
  virtual std::vector<std::vector<u64>> gather(std::span<const u64> words) = 0;
  /// The words of every rank at rank 0 alone; empty elsewhere.
  virtual std::vector<std::vector<u64>> gather_at_first(std::span<const u64> words) = 0;
};

}  // namespace heddle
