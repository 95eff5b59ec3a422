// The one list of state: every array of the View by name, size and kind, for allocation, device copies, checkpoints and
// digests.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// How an array takes part in checkpoints and digests.
enum class StateKind : u8 {
  plan,       // never changes: instantiated from the World
  dense,      // a slot per entity
  ragged,     // FIFO contents
  queued,     // the pool of queued packets: as large as memory, used from the front
  free_list,  // of that pool: empty at the start, meaningless elsewhere
  derived,    // addresses, ready sets, published copies: rebuilt, never saved
};

struct ArrayInfo {
  std::string name;
  StateKind kind = StateKind::dense;
  u64 bytes = 0;
  std::size_t view_offset = 0;  // offset of the pointer inside View
  void* memory = nullptr;
  bool sparse = false;  // most of it may stay zero and untouched: its bytes are charged when they are used
};

/// Whether memory of queue pairs and channel ends is charged from the start (all), or as it is used: with all-to-alls
/// in closed form (state/pairs.hpp).
enum class Use : u8 { all, sparse };

/// Owns the memory behind a View on the host: zeroed, page-aligned, touched only where it is used.
class Arrays {
 public:
  Arrays() = default;
  ~Arrays();
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  /// Allocates `count` elements for the pointer `slot`, which is a member of `view`. Returns them for writing.
  template <class T, class Slot>
  T* add(View& view, Slot& slot, const char* name, StateKind kind, u64 count, Use use = Use::all) {
    T* memory = static_cast<T*>(allocate(view, &slot, name, kind, count * sizeof(T), use));
    slot = memory;
    return memory;
  }

  /// Adds a copy of a table that never changes.
  template <class T>
  void add_plan(View& view, const T*& slot, const char* name, const std::vector<T>& from) {
    T* memory = add<T>(view, slot, name, StateKind::plan, from.size());
    for (std::size_t i = 0; i < from.size(); ++i) memory[i] = from[i];
  }

  std::span<const ArrayInfo> list() const { return list_; }
  /// Bytes of all arrays except the pool of queued packets and sparse arrays.
  u64 bytes() const;

 private:
  void* allocate(View& view, void* slot, const char* name, StateKind kind, u64 bytes, Use use);
  std::vector<ArrayInfo> list_;
};

}  // namespace heddle
