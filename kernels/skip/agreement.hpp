// What the parts of a World have to agree on before anything is skipped.
#pragma once

#include <span>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// One part's end: every part calls the same functions in the same order.
class Agreement {
 public:
  virtual ~Agreement() = default;
  /// The least of every word over all parts.
  virtual std::vector<i64> least(std::span<const i64> words) = 0;
  /// Sums of every word, mod 2^64.
  virtual void sum(std::span<u64> words) = 0;

  /// Whether all say so.
  bool all(bool mine) {
    const i64 word = mine;
    return least({&word, 1})[0] != 0;
  }
  bool any(bool mine) { return !all(!mine); }
  TimePs most(TimePs mine) {
    const i64 word = -mine;
    return -least({&word, 1})[0];
  }
};

/// Of an engine that has all of a World.
class Alone : public Agreement {
 public:
  std::vector<i64> least(std::span<const i64> words) override { return {words.begin(), words.end()}; }
  void sum(std::span<u64> /*words*/) override {}
};

}  // namespace heddle
