#include "tests/gpu/races/arena.hpp"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "tests/gpu/cuda_on_cpu/cuda_runtime.h"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kPageBytes = 4096, kGarbageBytes = std::size_t{1} << 20;

void* reserve(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

/// Allocates pieces one after the other; all memory is free again when none is left.
struct Pieces {
  std::mutex mutex;
  std::map<void*, std::size_t> bytes;
  std::size_t used = 0;
};
Pieces& pieces() {
  static Pieces all;
  return all;
}

}  // namespace

const races::Arena& races::arena() {
  static const Arena arena{static_cast<char*>(reserve(kArenaBytes)),
                           static_cast<Granule*>(reserve(kArenaBytes / 8 * sizeof(Granule)))};
  return arena;
}

void* allocate(std::size_t bytes) {
  const std::lock_guard lock(pieces().mutex);
  const std::size_t whole = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes + kPageBytes;  // no two on a page
  if (whole > races::kArenaBytes - pieces().used) return nullptr;
  char* const memory = races::arena().memory + pieces().used;
  pieces().used += whole;
  pieces().bytes[memory] = bytes;
  if (bytes < kGarbageBytes) std::memset(memory, 0xa5, bytes);
  return memory;
}

void release(void* memory) {
  const std::lock_guard lock(pieces().mutex);
  if (pieces().bytes.erase(memory) == 0 || !pieces().bytes.empty()) return;
  const races::Arena& all = races::arena();
  madvise(all.memory, pieces().used, MADV_DONTNEED);  // reads as zero again
  madvise(all.granules, pieces().used / 8 * sizeof(races::Granule), MADV_DONTNEED);
  pieces().used = 0;
}

void fill(void* memory, int value, std::size_t bytes) {
  const std::size_t pages = value == 0 && bytes >= kGarbageBytes ? bytes / kPageBytes * kPageBytes : 0;
  if (pages != 0 && madvise(memory, pages, MADV_DONTNEED) != 0) throw std::bad_alloc();  // without touching the pages
  if (bytes != pages) std::memset(static_cast<char*>(memory) + pages, value, bytes - pages);
}

}  // namespace cuda_on_cpu
