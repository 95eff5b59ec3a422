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

/// Calls keep(i) for each i < `count` that `has(i)` when saving, or had when it was saved; 64 at a time, with a word
/// that says which. The others have nothing: where they do, loading calls clear(i).
template <class A, class Has, class Keep, class Clear>
void marked(A& a, u32 count, const Has& has, const Keep& keep, const Clear& clear) {
  for (u32 first = 0; first < count; first += 64) {
    const u32 here = count - first < 64 ? count - first : 64;
    u64 mask = 0;
    for (u32 i = 0; !A::kLoads && i < here; ++i) mask |= static_cast<u64>(has(first + i)) << i;
    a(mask);
    for (u32 i = 0; i < here; ++i) {
      if ((mask >> i) & 1) {
        keep(first + i);
      } else if (A::kLoads && has(first + i)) {
        clear(first + i);
      }
    }
  }
}

/// Those of `count` entries that were used. Loading leaves others untouched, or makes them as if they were.
template <class A, class T>
void used_entries(A& a, T* entries, u32 count) {
  marked(
      a, count, [&](u32 i) { return used(entries[i]); }, [&](u32 i) { fields(a, entries[i]); },
      [&](u32 i) { entries[i] = T{}; });
}

}  // namespace heddle
