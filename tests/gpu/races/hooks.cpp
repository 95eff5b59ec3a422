// Passes every access to memory of the device to the order of its blocks. Other memory (stacks, shared memory, the
// host's) is outside the arena.
#include <cstddef>
#include <cstdint>

#include "tests/gpu/races/order.hpp"

extern "C" const char __executable_start;

namespace {

using namespace cuda_on_cpu::races;

inline void touch(const volatile void* address, std::size_t bytes, Use use, const void* place) {
  const Watch& w = watch;
  std::size_t offset = static_cast<std::size_t>(static_cast<const volatile char*>(address) - w.memory);
  if (offset >= w.bytes) return;
  const auto where = static_cast<std::uint32_t>(static_cast<const char*>(place) - &__executable_start);
  while (bytes != 0) {
    const std::size_t first = offset % 8, count = bytes < 8 - first ? bytes : 8 - first;
    w.order->use(w.granules[offset / 8], static_cast<unsigned>(first), static_cast<unsigned>(first + count - 1), use,
                 where);
    offset += count;
    bytes -= count;
  }
}

}  // namespace

#include "tests/gpu/cuda_on_cpu/access_hooks.inc"
