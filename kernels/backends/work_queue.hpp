// Items of a tick batch that no worker has taken yet.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// Each worker begins with a range that is the same in every tick batch, so that its core's caches still hold the
/// state; then it takes from the ranges of others.
class WorkQueue {
 public:
  /// Worker w begins with [first[w], first[w + 1]).
  explicit WorkQueue(const std::vector<u32>& first) : ranges_(first.size() - 1) {
    for (u32 w = 0; w < ranges_.size(); ++w) {
      ranges_[w].first = first[w];
      ranges_[w].end = first[w + 1];
    }
  }

  void refill() {
    for (Range& range : ranges_) range.next.store(range.first, std::memory_order_relaxed);
  }

  /// Calls f(i) for the items of the worker's own range that no worker has taken, `count` at a time.
  template <class F>
  void take_own(u32 worker, u32 count, const F& f) {
    take_from(ranges_[worker], count, f);
  }
  /// The same for the ranges of the other workers; no item is left afterwards.
  template <class F>
  void take_others(u32 worker, u32 count, const F& f) {
    for (u32 w = worker + 1; w < ranges_.size(); ++w) take_from(ranges_[w], count, f);
    for (u32 w = 0; w < worker; ++w) take_from(ranges_[w], count, f);
  }

 private:
  struct Range {
    alignas(64) std::atomic<u32> next{0};
    u32 first = 0, end = 0;
  };

  template <class F>
  static void take_from(Range& range, u32 count, const F& f) {
    while (range.next.load(std::memory_order_relaxed) < range.end) {
      const u32 first = range.next.fetch_add(count, std::memory_order_relaxed),
                end = std::min(first + count, range.end);
      for (u32 i = first; i < end; ++i) f(i);
    }
  }

  std::vector<Range> ranges_;
};

}  // namespace heddle
