// The testing team: every phase runs in another pseudo-random order, which exposes dependence on order without a GPU.
#pragma once

#include <numeric>

#include "kernels/team/serial.hpp"

namespace heddle {

class Shuffled : public Serial {
 public:
  Shuffled(Tally* tally, std::vector<Event>* records, u64 seed, bool prefetches = false)
      : Serial(tally, records, prefetches), state_(seed) {}

  template <class F>
  void each(u32 n, const F& f) const {
    if (n == 0) return;
    u32 stride = static_cast<u32>(next() % n) | 1;
    while (std::gcd(stride, n) != 1) stride += 2;
    const u64 offset = next() % n;
    for (u64 i = 0; i < n; ++i) f(static_cast<u32>((i * stride + offset) % n));
  }
  template <class F>
  void for_each_divergent(u32 n, const F& f) const {
    each(n, f);
  }
  template <class P, class F>
  void items(const u32* offsets, u32 n, const P& prepare, const F& f) const {
    each(offsets[n], [&](u32 k) {
      const u32 run = static_cast<u32>(std::upper_bound(offsets, offsets + n + 1, k) - offsets) - 1;
      f(prepare(run), k - offsets[run], k);
    });
  }
  template <class F>
  void bits(const u64* words, u32 n, const F& f) const {
    each(n * 64, [&](u32 i) {
      if ((words[i / 64] >> (i % 64)) & 1) f(i / 64, i % 64);
    });
  }

 protected:
  u64 next() const { return state_ = mix64(state_ + 0x9e3779b97f4a7c15ull); }

 private:
  mutable u64 state_;
};

/// A Shuffled for plain runs that goes the ways of a GPU, and sometimes the other way where both are right.
class ShuffledInStep : public Shuffled {
 public:
  using Shuffled::Shuffled;
  static constexpr bool kPlain = true;
  static constexpr bool kInStep = true;
  bool declines() const { return next() % 8 == 0; }
  bool goes_by_ports() const { return next() % 2 == 0; }
};

}  // namespace heddle
