// The team of one CPU thread: every verb is a plain loop.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/bits.hpp"
#include "kernels/outcome/event.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// A team runs phases: each verb is one phase, which ends when the call returns. Functors may run in any order and on
/// any lane, so data that they share inside a phase is updated through add().
///   each(n, f)             f(i) for i < n
///   for_each_divergent(n, f)  the same, for long items whose paths diverge: as few of them to a warp as possible
///   items(offsets, n, prepare, f)   f(prepare(run), j, k) for every item k = offsets[run] + j of n runs
///   scan(array, n)         exclusive prefix sum in place, total in array[n] and returned
///   sort_runs(keys, spare, offsets, n)   keys of every run ascending; keys are unique
///   bits(words, n, f)      f(w, bit) for every set bit of n words
///   add(ref, x)            fetch-and-add on data shared by the team; raise(ref, x): maximum; lower(ref, x): minimum;
///                          mark(ref, x): bitwise or
/// In an item of for_each_divergent(), lanes of a warp may diverge and reconverge; these verbs keep them in step:
///   leave(x)               returns x; a lane that gets true calls neither leave() nor any() again in this item
///   any(x)                 whether x holds for any lane that has not left; all lanes that have not left call it
///   stay_alone()           elsewhere: from here on this lane diverges from the others
/// emit() is not a phase: it records an event. prefetches(): whether prefetching pays (state/prefetch.hpp). kInStep:
/// lanes execute together, so that a separate path for the common case costs all lanes. declines(), of teams in step:
/// whether an item goes the general way although it need not; true only in tests.
class Serial {
 public:
  /// state/plain.hpp
  static constexpr bool kPlain = false;
  static constexpr bool kInStep = false;
  static constexpr bool kScratchIsShared = false;

  explicit Serial(Tally* tally, std::vector<Event>* records = nullptr, bool prefetches = false)
      : tally_(tally), records_(records), prefetches_(prefetches) {}

  bool prefetches() const { return prefetches_; }

  template <class F>
  void each(u32 n, const F& f) const {
    for (u32 i = 0; i < n; ++i) f(i);
  }
  template <class F>
  void for_each_divergent(u32 n, const F& f) const {
    each(n, f);
  }
  bool leave(bool x) const { return x; }
  bool any(bool x) const { return x; }
  void stay_alone() const {}
  template <class P, class F>
  void items(const u32* offsets, u32 n, const P& prepare, const F& f) const {
    for (u32 run = 0; run < n; ++run) {
      const u32 first = offsets[run], end = offsets[run + 1];
      if (first == end) continue;
      const auto context = prepare(run);
      for (u32 k = first; k < end; ++k) f(context, k - first, k);
    }
  }
  template <class F>
  void bits(const u64* words, u32 n, const F& f) const {
    for (u32 w = 0; w < n; ++w) {
      for (u64 left = words[w]; left != 0; left &= left - 1) f(w, lowest_bit(left));
    }
  }
  u32 scan(u32* array, u32 n) const {
    u32 sum = 0;
    for (u32 i = 0; i < n; ++i) {
      const u32 x = array[i];
      array[i] = sum;
      sum += x;
    }
    array[n] = sum;
    return sum;
  }
  void sort_runs(u64* keys, u64* /*spare*/, const u32* offsets, u32 n) const {
    for (u32 run = 0; run < n; ++run) sort_run(keys + offsets[run], keys + offsets[run + 1]);
  }
  template <class T>
  T add(T& ref, T by) const {
    const T old = ref;
    ref = old + by;
    return old;
  }
  template <class T>
  void raise(T& ref, T to) const {
    if (ref < to) ref = to;
  }
  template <class T>
  void lower(T& ref, T to) const {
    if (to < ref) ref = to;
  }
  void mark(u64& ref, u64 bits) const { ref |= bits; }
  Tally& tally() const { return *tally_; }
  void record(const Event& event) const { records_->push_back(event); }

 private:
  static void sort_run(u64* first, u64* last) {
    if (last - first > 32) {
      std::sort(first, last);
      return;
    }
    for (u64* i = first; i < last; ++i) {  // short runs of nearly sorted keys
      const u64 key = *i;
      u64* j = i;
      for (; j > first && j[-1] > key; --j) *j = j[-1];
      *j = key;
    }
  }
  Tally* tally_;
  std::vector<Event>* records_;
  bool prefetches_;
};

/// A Serial for plain runs only.
class PlainSerial : public Serial {
 public:
  using Serial::Serial;
  static constexpr bool kPlain = true;
};

}  // namespace heddle
