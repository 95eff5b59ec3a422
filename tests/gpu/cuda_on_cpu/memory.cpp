#include <sys/mman.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "cuda_runtime.h"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kMappedBytes = std::size_t{1} << 20;  // smallest mapped piece

/// Mapped pieces by address.
struct Mapped {
  std::mutex mutex;
  std::map<void*, std::size_t> bytes;
};
Mapped& mapped() {
  static Mapped all;
  return all;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (bytes < kMappedBytes) {
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory != nullptr) std::memset(memory, 0xa5, bytes);
    return memory;
  }
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const std::lock_guard lock(mapped().mutex);
  mapped().bytes[memory] = bytes;
  return memory;
}

void release(void* memory) {
  const std::lock_guard lock(mapped().mutex);
  const auto found = mapped().bytes.find(memory);
  if (found == mapped().bytes.end()) return std::free(memory);
  munmap(found->first, found->second);
  mapped().bytes.erase(found);
}

void fill(void* memory, int value, std::size_t bytes) {
  const std::lock_guard lock(mapped().mutex);
  const auto found = mapped().bytes.find(memory);
  if (value == 0 && found != mapped().bytes.end() && found->second == bytes) {
    madvise(memory, bytes, MADV_DONTNEED);  // reads as zero again
  } else if (bytes != 0) {
    std::memset(memory, value, bytes);
  }
}

}  // namespace cuda_on_cpu
