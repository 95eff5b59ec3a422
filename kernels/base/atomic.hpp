// The few words that several teams touch in one tick: pool counters, wake times, error flags. All of them are sums or
// minima, so their order is free. Everything else that another team may read is published by parity (MODEL.md, 4.1).
#pragma once

#include <type_traits>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

template <class T>
HEDDLE_FN T global_load(const T& x) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile T*>(&x);
#else
  return __atomic_load_n(&x, __ATOMIC_RELAXED);
#endif
}

template <class T>
HEDDLE_FN void global_store(T& x, T value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile T*>(&x) = value;
#else
  __atomic_store_n(&x, value, __ATOMIC_RELAXED);
#endif
}

/// Of 4 or 8 bytes.
template <class T>
HEDDLE_FN T global_add(T& x, std::type_identity_t<T> by) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == sizeof(u64))
    return atomicAdd(reinterpret_cast<unsigned long long*>(&x), static_cast<unsigned long long>(by));
  else
    return atomicAdd(&x, by);
#else
  return __atomic_fetch_add(&x, by, __ATOMIC_RELAXED);
#endif
}

HEDDLE_FN void global_or(u64& x, u64 bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(reinterpret_cast<unsigned long long*>(&x), static_cast<unsigned long long>(bits));
#else
  __atomic_fetch_or(&x, bits, __ATOMIC_RELAXED);
#endif
}

HEDDLE_FN void global_or(u32& x, u32 bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(&x, bits);
#else
  __atomic_fetch_or(&x, bits, __ATOMIC_RELAXED);
#endif
}

HEDDLE_FN void global_and(u32& x, u32 bits) {
#if defined(__CUDA_ARCH__)
  atomicAnd(&x, bits);
#else
  __atomic_fetch_and(&x, bits, __ATOMIC_RELAXED);
#endif
}

/// Of times as unsigned numbers: -1, never, is the last of all.
HEDDLE_FN void global_min(TimePs& x, TimePs value) {
#if defined(__CUDA_ARCH__)
  atomicMin(reinterpret_cast<unsigned long long*>(&x), static_cast<unsigned long long>(value));
#else
  TimePs seen = __atomic_load_n(&x, __ATOMIC_RELAXED);
  while (static_cast<u64>(value) < static_cast<u64>(seen) &&
         !__atomic_compare_exchange_n(&x, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

HEDDLE_FN void global_max(TimePs& x, TimePs value) {
#if defined(__CUDA_ARCH__)
  atomicMax(reinterpret_cast<long long*>(&x), static_cast<long long>(value));
#else
  TimePs seen = __atomic_load_n(&x, __ATOMIC_RELAXED);
  while (value > seen && !__atomic_compare_exchange_n(&x, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

}  // namespace heddle
