// What a part on a GPU exchanges with others: the kernels, and the memory that words travel in.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/boundary/collect.hpp"
#include "kernels/boundary/deliver.hpp"
#include "kernels/boundary/release.hpp"
#include "kernels/boundary/word_buffer.hpp"
#include "kernels/gpu/device_memory.cuh"
#include "kernels/team/block.cuh"

namespace heddle {

/// Kernels write words straight into pinned host memory and read them from there, so nothing else has to be copied.
class PinnedWords final : public WordMemory {
 public:
  u64* allocate(u64 words) override {
    void* memory = nullptr;
    cuda_check(cudaMallocHost(&memory, words * sizeof(u64)), "allocating pinned memory for words to other ranks");
    return static_cast<u64*>(memory);
  }
  void release(u64* words) override { cudaFreeHost(words); }
};

/// For an MPI that sends from and receives into memory of the GPU.
class DeviceWords final : public WordMemory {
 public:
  u64* allocate(u64 words) override {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, words * sizeof(u64)), "allocating device memory for words to other ranks");
    return static_cast<u64*>(memory);
  }
  void release(u64* words) override { cudaFree(words); }
};

inline constexpr u32 kBoundaryThreads = 1024, kReleaseThreads = 128;

/// A block for every neighbour that still has no parcel.
static __global__ void run_collect(const __grid_constant__ View v, u32 parity, Parcel* parcels) {
  __shared__ u32 warp_sums[32];
  Parcel& parcel = parcels[blockIdx.x];
  if (parcel.size != 0 && parcel.size <= parcel.capacity) return;
  collect(Block(nullptr, {}, warp_sums), v, blockIdx.x, parity, parcel);
}

static __global__ void run_deliver(const __grid_constant__ View v, u32 n, u32 parity, const u64* words, u64 size,
                                   u32* misfits) {
  __shared__ u32 warp_sums[32];
  deliver(Block(nullptr, {}, warp_sums), v, n, parity, words, size, *misfits);
}

static __global__ void run_release(const __grid_constant__ View v, u32 fifos, u32 parity, TimePs now_ps) {
  const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < fifos) release(v, k, parity, now_ps);
}

/// `next_ps` is kNever before.
static __global__ void run_earliest(const __grid_constant__ View v, u32 parity, TimePs* next_ps) {
  __shared__ TimePs least;
  if (threadIdx.x == 0) least = kNever;
  __syncthreads();
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < v.nodes) global_min(least, min(v.next_ps[n], v.wake_ps[parity][n]));
  __syncthreads();
  if (threadIdx.x == 0) global_min(*next_ps, least);
}

/// Launches them, one after the other on a stream, and knows when they are done.
class BoundaryKernels {
 public:
  /// `on_device`: words travel in memory of the GPU. The view's pointers are the device's.
  BoundaryKernels(const View& device, u32 out_fifos, bool on_device, cudaStream_t stream)
      : v_(device),
        out_fifos_(out_fifos),
        stream_(stream),
        parcels_(v_.boundary.neighbours * sizeof(Parcel)),
        misfits_(sizeof(u32)),
        next_ps_(sizeof(TimePs)) {
    if (on_device) {
      words_ = std::make_unique<DeviceWords>();
    } else {
      words_ = std::make_unique<PinnedWords>();
    }
    put(misfits_, u32{0});
  }

  WordMemory& words() { return *words_; }

  TimePs collect(u32 parity, std::span<WordBuffer> out) {
    if (out.empty()) return kNever;
    std::vector<Parcel> parcels(out.size());
    for (bool retry = true; retry;) {
      for (std::size_t n = 0; n < out.size(); ++n) {
        Parcel& parcel = parcels[n];
        if (parcel.size != 0 && parcel.size <= parcel.capacity) continue;  // it has been collected
        out[n].make_room(parcel.size);
        parcel = {out[n].data(), out[n].capacity()};
      }
      const std::size_t bytes = parcels.size() * sizeof(Parcel);
      cuda_check(cudaMemcpyAsync(parcels_.get(), parcels.data(), bytes, cudaMemcpyHostToDevice, stream_), "collecting");
      run_collect<<<static_cast<u32>(out.size()), kBoundaryThreads, 0, stream_>>>(v_, parity, parcels_.get<Parcel>());
      cuda_check(cudaMemcpyAsync(parcels.data(), parcels_.get(), bytes, cudaMemcpyDeviceToHost, stream_), "collecting");
      cuda_check(cudaStreamSynchronize(stream_), "collecting what other ranks get");
      retry = false;
      for (const Parcel& parcel : parcels) retry = retry || parcel.size > parcel.capacity;
    }
    TimePs first_ps = kNever;
    for (std::size_t n = 0; n < out.size(); ++n) {
      out[n].resize(parcels[n].size);
      first_ps = std::min(first_ps, parcels[n].first_ps);
    }
    return first_ps;
  }

  /// Whether the words fit. They have been taken when it returns.
  bool deliver(u32 n, u32 parity, std::span<const u64> words) {
    if (words.empty()) return true;
    run_deliver<<<1, kBoundaryThreads, 0, stream_>>>(v_, n, parity, words.data(), words.size(), misfits_.get<u32>());
    return get<u32>(misfits_) == 0;
  }

  void release(u32 parity, TimePs now_ps) {
    if (out_fifos_ == 0) return;
    const u32 blocks = (out_fifos_ + kReleaseThreads - 1) / kReleaseThreads;
    run_release<<<blocks, kReleaseThreads, 0, stream_>>>(v_, out_fifos_, parity, now_ps);
    cuda_check(cudaGetLastError(), "releasing packets on cut links");
  }

  TimePs earliest_ps(u32 parity) {
    put(next_ps_, kNever);
    const u32 blocks = (v_.nodes + kReleaseThreads - 1) / kReleaseThreads;
    run_earliest<<<blocks, kReleaseThreads, 0, stream_>>>(v_, parity, next_ps_.get<TimePs>());
    return get<TimePs>(next_ps_);
  }

 private:
  template <class T>
  void put(const DeviceMemory& to, T value) {
    cuda_check(cudaMemcpyAsync(to.get(), &value, sizeof(T), cudaMemcpyHostToDevice, stream_), "writing to the device");
    cuda_check(cudaStreamSynchronize(stream_), "writing to the device");
  }
  template <class T>
  T get(const DeviceMemory& from) {
    T value;
    cuda_check(cudaMemcpyAsync(&value, from.get(), sizeof(T), cudaMemcpyDeviceToHost, stream_), "exchanging");
    cuda_check(cudaStreamSynchronize(stream_), "exchanging with other ranks");
    return value;
  }

  View v_;
  u32 out_fifos_;
  cudaStream_t stream_;
  DeviceMemory parcels_, misfits_, next_ps_;
  std::unique_ptr<WordMemory> words_;
};

}  // namespace heddle
