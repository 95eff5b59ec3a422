// Tables of which most entries may never have been used: only the others are saved.
#pragma once

#include "kernels/restart/fields.hpp"

namespace heddle {

/// Whether any field is not zero: what was never used has none.
struct AnyField {
  bool found = false;
  template <class... T>
  void operator()(const T&... values) {
    found = found || (... || (static_cast<u64>(values) != 0));
  }
};

template <class T>
bool used(T& entry) {
  AnyField any;
  fields(any, entry);
  return any.found;
}

/// `count` entries, 64 at a time: a word that says which of them were used, and these. Loading leaves others untouched,
/// or makes them as if they were.
template <class A, class T>
void used_entries(A& a, T* entries, u32 count) {
  for (u32 first = 0; first < count; first += 64) {
    const u32 here = count - first < 64 ? count - first : 64;
    u64 mask = 0;
    for (u32 i = 0; !A::kLoads && i < here; ++i) mask |= static_cast<u64>(used(entries[first + i])) << i;
    a(mask);
    for (u32 i = 0; i < here; ++i) {
      T& entry = entries[first + i];
      if ((mask >> i) & 1) {
        fields(a, entry);
      } else if (A::kLoads && used(entry)) {
        entry = T{};
      }
    }
  }
}

}  // namespace heddle
