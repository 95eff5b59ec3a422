#include "kernels/state/arrays.hpp"

#include <sys/mman.h>

#include <new>

namespace heddle {
namespace {

inline constexpr u64 kHugePageBytes = u64{2} << 20;

}  // namespace

Arrays::~Arrays() {
  for (const ArrayInfo& array : list_) {
    if (array.memory != nullptr) munmap(array.memory, array.bytes);
  }
}

void* Arrays::allocate(View& view, void* slot, const char* name, StateKind kind, u64 bytes, Use use) {
  const u64 size = bytes == 0 ? 64 : bytes;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Sparse arrays use a few entries of a page, which would waste huge pages.
  if (use == Use::sparse) madvise(memory, size, MADV_NOHUGEPAGE);
  // Large tables are accessed at random: with small pages address translation takes most of that time. Only advice.
  if (size >= kHugePageBytes && use == Use::all && kind != StateKind::derived && kind != StateKind::free_list)
    madvise(memory, size, MADV_HUGEPAGE);
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(slot) - reinterpret_cast<std::byte*>(&view));
  list_.push_back({name, kind, size, offset, memory, use == Use::sparse});
  return memory;
}

u64 Arrays::bytes() const {
  u64 sum = 0;
  for (const ArrayInfo& array : list_) {
    if (!array.sparse && array.kind != StateKind::queued && array.kind != StateKind::free_list) sum += array.bytes;
  }
  return sum;
}

}  // namespace heddle
