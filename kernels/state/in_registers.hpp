// Small arrays that a GPU keeps in registers, which cannot be indexed by a variable: an indexed array is in the lane's
// stack, in device memory, and the stacks of all lanes do not fit a multiprocessor's cache. So these functions read or
// write every entry and select values, not addresses: the compiler would turn a branch back into an index.
#pragma once

#include "kernels/state/fabric.hpp"

namespace heddle {

template <class T>
HEDDLE_FN T chosen(bool first, T a, T b) {
  return first ? a : b;
}
HEDDLE_FN Queue chosen(bool first, Queue a, Queue b) {
  return {{chosen(first, a.ring.base, b.ring.base), chosen(first, a.ring.mask, b.ring.mask)},
          chosen(first, a.tail, b.tail),
          chosen(first, a.sent, b.sent),
          chosen(first, a.bytes, b.bytes)};
}

HEDDLE_FN Packet chosen(bool first, Packet a, Packet b) {
  return {chosen(first, a.w0, b.w0), chosen(first, a.w1, b.w1), chosen(first, a.w2, b.w2), chosen(first, a.w3, b.w3)};
}

/// array[i]
template <class Team, u32 n, class T>
HEDDLE_FN T in_registers(const T (&array)[n], u32 i) {
  if constexpr (!Team::kInStep) return array[i];
  T x = array[0];
  for (u32 k = 1; k < n; ++k) x = chosen(k == i, array[k], x);
  return x;
}

/// array[i] = x
template <class Team, u32 n, class T>
HEDDLE_FN void put_in_registers(T (&array)[n], u32 i, T x) {
  if constexpr (Team::kInStep) {
    for (u32 k = 0; k < n; ++k) array[k] = chosen(k == i, x, array[k]);
  } else {
    array[i] = x;
  }
}

}  // namespace heddle
