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
  /// Words may lie in the memory of a GPU.
  virtual bool reaches_device_memory() const { return false; }

  /// Begins to send out[n] to the rank neighbours[n], and to receive from it into in[n]. Neighbours are so to each
  /// other. It may wait for other ranks of the same machine to begin. All of it must stay where it is until end(); what
  /// in[n] held is lost.
  virtual void begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) = 0;
  /// Waits for what was begun.
  virtual void end() = 0;

  /// Begins to take the minimum of every word over all ranks.
  virtual void begin_min(std::span<const i64> words) = 0;
  /// Waits for it; returns the minima.
  virtual std::vector<i64> end_min() = 0;

  /// Both at once, also while one has begun.
  virtual std::vector<i64> min(std::span<const i64> words) = 0;
  /// Sums of every word, mod 2^64, at all ranks.
  virtual void sum(std::span<u64> words) = 0;
  /// The same at rank 0 alone; elsewhere `words` stay as they are.
  virtual void sum_at_first(std::span<u64> words) = 0;
  /// What every rank has, by rank, at all ranks. Lengths may differ.
  virtual std::vector<std::vector<u64>> gather(std::span<const u64> words) = 0;
  /// The same at rank 0 alone; empty elsewhere.
  virtual std::vector<std::vector<u64>> gather_at_first(std::span<const u64> words) = 0;
};

}  // namespace heddle
