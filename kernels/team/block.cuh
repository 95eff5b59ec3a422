// The team of one CUDA thread block: strided loops, with a barrier at the end of each verb.
#pragma once

#include "kernels/outcome/event.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Recorded events of all blocks. Those beyond the capacity are only counted: the host then ends the run with an error.
struct EventBuffer {
  Event* events = nullptr;
  u64 capacity = 0;
  u64* count = nullptr;
};

/// See Serial for the verbs. `warp_sums` is shared memory for 32 words.
class Block {
 public:
  /// state/plain.hpp
  static constexpr bool kPlain = false;
  static constexpr bool kInStep = true;
  /// See fabric/switch_scratch.hpp; here the scratch is in device memory, because shared memory is too small for it.
  static constexpr bool kScratchIsShared = false;

  __device__ Block(Tally* tally, EventBuffer events, u32* warp_sums)
      : tally_(tally), events_(events), warp_sums_(warp_sums) {}

  /// Prefetching does not pay, because other warps run while one waits.
  __device__ static constexpr bool prefetches() { return false; }

  template <class F>
  __device__ void each(u32 n, const F& f) const {
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) f(i);
    __syncthreads();
  }
  template <class F>
  __device__ void for_each_divergent(u32 n, const F& f) const {
    const u32 warps = blockDim.x / 32;
    u32 i = threadIdx.x % 32 * warps + threadIdx.x / 32;
    for (u32 left = (n + blockDim.x - 1) / blockDim.x; left != 0; --left, i += blockDim.x) {
      begin(i < n);
      if (i < n) f(i);
      meet();
    }
    __syncthreads();
  }
  /// Sets the lanes of a warp for which `goes_on` holds; all lanes call this.
  __device__ void begin([[maybe_unused]] bool goes_on) const {
#if defined(__CUDA_ARCH__)
    in_step_ = __ballot_sync(~0u, goes_on);
#endif
  }
  __device__ void meet() const {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
  }
  __device__ void stay_alone() const {
#if defined(__CUDA_ARCH__)
    in_step_ = 1u << (threadIdx.x % 32);
#endif
  }
  __device__ static constexpr bool declines() { return false; }
  __device__ bool leave(bool x) const {
#if defined(__CUDA_ARCH__)
    in_step_ = __ballot_sync(in_step_, !x);
#endif
    return x;
  }
  __device__ bool any(bool x) const {
#if defined(__CUDA_ARCH__)
    return __any_sync(in_step_, x);
#else
    return x;  // tests/gpu: each lane has a stack of its own, so lanes need not stay in step
#endif
  }
  template <class P, class F>
  __device__ void items(const u32* offsets, u32 n, const P& prepare, const F& f) const {
    const u32 total = offsets[n];
    for (u32 k = threadIdx.x; k < total; k += blockDim.x) {
      const u32 run = run_of(offsets, n, k);
      f(prepare(run), k - offsets[run], k);
    }
    __syncthreads();
  }
  template <class F>
  __device__ void bits(const u64* words, u32 n, const F& f) const {
    each(n * 64, [&](u32 i) {
      if ((words[i / 64] >> (i % 64)) & 1) f(i / 64, i % 64);
    });
  }
  __device__ u32 scan(u32* array, u32 n) const {
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    u32 carry = 0;
    for (u32 first = 0; first < n; first += blockDim.x) {
      const u32 i = first + threadIdx.x;
      const u32 x = i < n ? array[i] : 0;
      u32 sum = x;
      for (u32 d = 1; d < 32; d *= 2) {
        const u32 y = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += y;
      }
      if (lane == 31) warp_sums_[warp] = sum;
      __syncthreads();
      u32 before = 0, all = 0;
      for (u32 w = 0; w < blockDim.x / 32; ++w) {
        if (w < warp) before += warp_sums_[w];
        all += warp_sums_[w];
      }
      if (i < n) array[i] = carry + before + sum - x;
      carry += all;
      __syncthreads();
    }
    if (threadIdx.x == 0) array[n] = carry;
    __syncthreads();
    return carry;
  }
  /// Places keys by rank: runs are short, and keys are unique.
  __device__ void sort_runs(u64* keys, u64* spare, const u32* offsets, u32 n) const {
    const u32 total = offsets[n];
    for (u32 k = threadIdx.x; k < total; k += blockDim.x) {
      const u32 run = run_of(offsets, n, k);
      const u64 key = keys[k];
      u32 rank = offsets[run];
      for (u32 i = offsets[run]; i < offsets[run + 1]; ++i) rank += keys[i] < key;
      spare[rank] = key;
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < total; k += blockDim.x) keys[k] = spare[k];
    __syncthreads();
  }
  __device__ u32 add(u32& ref, u32 by) const { return atomicAdd(&ref, by); }
  __device__ u64 add(u64& ref, u64 by) const {
    return atomicAdd(reinterpret_cast<unsigned long long*>(&ref), static_cast<unsigned long long>(by));
  }
  __device__ void raise(TimePs& ref, TimePs to) const {
    atomicMax(reinterpret_cast<long long*>(&ref), static_cast<long long>(to));
  }
  __device__ void lower(TimePs& ref, TimePs to) const {
    atomicMin(reinterpret_cast<long long*>(&ref), static_cast<long long>(to));
  }
  __device__ void mark(u64& ref, u64 bits) const { global_or(ref, bits); }
  __device__ Tally& tally() const { return *tally_; }
  __device__ void record(const Event& event) const {
    const u64 n = add(*events_.count, u64{1});
    if (n < events_.capacity) events_.events[n] = event;
  }

 private:
  /// The last run that starts at or before item k.
  __device__ static u32 run_of(const u32* offsets, u32 n, u32 k) {
    u32 low = 0, high = n;
    while (high - low > 1) {
      const u32 middle = (low + high) / 2;
      if (offsets[middle] <= k) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Tally* tally_;
  EventBuffer events_;
  u32* warp_sums_;
  mutable u32 in_step_ = ~0u;  // lanes of the warp
};

/// A Block for plain runs only, with scratch in shared memory.
class PlainBlock : public Block {
 public:
  using Block::Block;
  static constexpr bool kPlain = true;
  static constexpr bool kScratchIsShared = true;
};

}  // namespace heddle
