// Random numbers for world generators: they depend on the seed of the world and the name of the section alone.
#pragma once

#include <initializer_list>
#include <string_view>

#include "kernels/base/hash.hpp"
#include "kernels/base/types.hpp"

namespace heddle::property {

/// A stream of draws. Every section of a world has its own, so that an added draw in one section changes no other.
class Draw {
 public:
  Draw(u64 seed, std::string_view section) : state_(absorb(0, seed)) {
    for (char letter : section) state_ = absorb(state_, static_cast<u8>(letter));
  }

  /// 0 to n - 1, evenly.
  u64 below(u64 n) { return (next() >> 16) % n; }
  /// first to last, both included.
  u64 between(u64 first, u64 last) { return first + below(last - first + 1); }
  bool percent(u32 chance) { return below(100) < chance; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }

 private:
  u64 next() { return state_ = absorb(state_, 1); }

  u64 state_;
};

}  // namespace heddle::property
