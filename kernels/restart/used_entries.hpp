// Tables whose entries may mostly be unused: only used entries are saved.
#pragma once

#include "kernels/restart/fields.hpp"

namespace heddle {

/// Whether any field is not zero: an unused entry has only zeros.
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

/// Calls keep(i) for each i < `count` for which `has(i)` holds, or held when the state was saved; a word per 64 entries
/// records which. For other entries that `has` when loading, calls clear(i).
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

/// Saves the used ones of `count` entries. Loading resets the others, if they were used.
template <class A, class T>
void used_entries(A& a, T* entries, u32 count) {
  marked(
      a, count, [&](u32 i) { return used(entries[i]); }, [&](u32 i) { fields(a, entries[i]); },
      [&](u32 i) { entries[i] = T{}; });
}

}  // namespace heddle
