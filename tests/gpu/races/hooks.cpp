// What a program calls that was compiled with -fsanitize=thread, in place of ThreadSanitizer's runtime: every access to
// memory of the device goes to the order of its blocks. Accesses to anything else (stacks, shared memory, the host's)
// lie outside the arena.
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

#define PLACE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_read_range(void* p, std::size_t bytes) { touch(p, bytes, kRead, PLACE); }
void __tsan_write_range(void* p, std::size_t bytes) { touch(p, bytes, kWrite, PLACE); }

#define PLAIN(bytes)                                                            \
  void __tsan_read##bytes(void* p) { touch(p, bytes, kRead, PLACE); }           \
  void __tsan_write##bytes(void* p) { touch(p, bytes, kWrite, PLACE); }         \
  void __tsan_unaligned_read##bytes(void* p) { touch(p, bytes, kRead, PLACE); } \
  void __tsan_unaligned_write##bytes(void* p) { touch(p, bytes, kWrite, PLACE); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

// The thread that looks on runs all lanes, so the weakest order does.
#define FETCH(bits, name, type)                                            \
  type __tsan_atomic##bits##_fetch_##name(volatile type* p, type x, int) { \
    touch(p, bits / 8, kUpdate, PLACE);                                    \
    return __atomic_fetch_##name(p, x, __ATOMIC_SEQ_CST);                  \
  }
#define EXCHANGE(bits, strength, type)                                                                    \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* p, type* seen, type x, int, int) { \
    touch(p, bits / 8, kUpdate, PLACE);                                                                   \
    return __atomic_compare_exchange_n(p, seen, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
  }
#define ATOMIC(bits, type)                                             \
  type __tsan_atomic##bits##_load(const volatile type* p, int) {       \
    touch(p, bits / 8, kUpdate, PLACE);                                \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                       \
  }                                                                    \
  void __tsan_atomic##bits##_store(volatile type* p, type x, int) {    \
    touch(p, bits / 8, kUpdate, PLACE);                                \
    __atomic_store_n(p, x, __ATOMIC_SEQ_CST);                          \
  }                                                                    \
  type __tsan_atomic##bits##_exchange(volatile type* p, type x, int) { \
    touch(p, bits / 8, kUpdate, PLACE);                                \
    return __atomic_exchange_n(p, x, __ATOMIC_SEQ_CST);                \
  }                                                                    \
  FETCH(bits, add, type)                                               \
  FETCH(bits, sub, type)                                               \
  FETCH(bits, and, type)                                               \
  FETCH(bits, or, type)                                                \
  FETCH(bits, xor, type)                                               \
  EXCHANGE(bits, strong, type)                                         \
  EXCHANGE(bits, weak, type)
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)

}  // extern "C"
