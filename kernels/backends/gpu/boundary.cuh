// The exchange of a part on a GPU with other parts: the kernels, and the memory that messages travel in.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backends/gpu/device_memory.cuh"
#include "kernels/boundary/collect.hpp"
#include "kernels/boundary/deliver.hpp"
#include "kernels/boundary/release.hpp"
#include "kernels/boundary/word_buffer.hpp"
#include "kernels/team/block.cuh"

namespace heddle {

/// Kernels write and read messages directly in pinned host memory, so no copy is needed.
class PinnedWords final : public WordMemory {
 public:
  u64* allocate(u64 words) override {
    void* memory = nullptr;
    cuda_check(cudaMallocHost(&memory, words * sizeof(u64)), "allocating pinned memory for words to other ranks");
    return static_cast<u64*>(memory);
  }
  void release(u64* words) override { cudaFreeHost(words); }
};

/// Device memory, for an MPI that sends from and receives into memory of the GPU.
class DeviceWords final : public WordMemory {
 public:
  u64* allocate(u64 words) override {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, words * sizeof(u64)), "allocating device memory for words to other ranks");
    return static_cast<u64*>(memory);
  }
  void release(u64* words) override { cudaFree(words); }
};

inline constexpr u32 kReleaseThreads = 128;

/// One block for every neighbour whose parcel has not been collected yet.
static __global__ void run_collect(const __grid_constant__ View v, u32 parity, Parcel* parcels) {
  __shared__ u32 warp_sums[32];
  Parcel& parcel = parcels[blockIdx.x];
  if (parcel.size != 0 && parcel.size <= parcel.capacity) return;
  collect(Block(nullptr, {}, warp_sums), v, blockIdx.x, parity, parcel);
}

/// One block for every neighbour. The caller sets misfits[n] to 0.
static __global__ void run_deliver(const __grid_constant__ View v, u32 parity, const Parcel* parcels, u32* misfits) {
  __shared__ u32 warp_sums[32];
  const u32 n = blockIdx.x;
  deliver(Block(nullptr, {}, warp_sums), v, n, parity, parcels[n].words, parcels[n].size, misfits[n]);
}

static __global__ void run_release(const __grid_constant__ View v, u32 fifos, u32 parity, TimePs now_ps) {
  const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < fifos) release(v, k, parity, now_ps);
}

/// The caller sets `next_ps` to kNever.
static __global__ void run_earliest(const __grid_constant__ View v, u32 parity, TimePs* next_ps) {
  __shared__ TimePs least;
  if (threadIdx.x == 0) least = kNever;
  __syncthreads();
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < v.nodes) global_min(least, next_of_node(v, n, parity));
  __syncthreads();
  if (threadIdx.x == 0) global_min(*next_ps, least);
}

/// Launches the kernels one after the other on a stream and waits until they are done.
class BoundaryKernels {
 public:
  /// `on_device`: messages travel in memory of the GPU.
  BoundaryKernels(const View& device, const Boundary& host, bool on_device, cudaStream_t stream)
      : v_(device),
        out_fifos_(host.first_out[host.neighbours]),
        threads_(threads_for(host)),
        stream_(stream),
        parcels_(v_.boundary.neighbours * sizeof(Parcel)),
        misfits_(v_.boundary.neighbours * sizeof(u32)),
        next_ps_(sizeof(TimePs)) {
    if (on_device) {
      words_ = std::make_unique<DeviceWords>();
    } else {
      words_ = std::make_unique<PinnedWords>();
    }
  }

  WordMemory& words() { return *words_; }

  TimePs collect(u32 parity, std::span<WordBuffer> out) {
    if (out.empty()) return kNever;
    std::vector<Parcel> parcels(out.size());
    for (bool retry = true; retry;) {
      for (std::size_t n = 0; n < out.size(); ++n) {
        Parcel& parcel = parcels[n];
        if (parcel.size != 0 && parcel.size <= parcel.capacity) continue;  // already collected
        out[n].make_room(parcel.size);
        parcel = {out[n].data(), out[n].capacity()};
      }
      upload(parcels_, parcels);
      launch(run_collect, static_cast<u32>(out.size()), threads_, 0, stream_, v_, parity, parcels_.get<Parcel>());
      download(parcels, parcels_);
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

  /// Returns the first neighbour whose words do not fit; kNone when all fit and have been taken.
  u32 deliver(u32 parity, std::span<const WordBuffer> in) {
    if (in.empty()) return kNone;
    std::vector<Parcel> parcels;
    for (const WordBuffer& buffer : in)
      parcels.push_back({const_cast<u64*>(buffer.words().data()), 0, buffer.words().size()});
    upload(parcels_, parcels);
    upload(misfits_, std::vector<u32>(in.size(), 0));
    launch(run_deliver, static_cast<u32>(in.size()), threads_, 0, stream_, v_, parity, parcels_.get<Parcel>(),
           misfits_.get<u32>());
    std::vector<u32> misfits(in.size());
    download(misfits, misfits_);
    const auto misfit = std::find_if(misfits.begin(), misfits.end(), [](u32 count) { return count != 0; });
    return misfit == misfits.end() ? kNone : static_cast<u32>(misfit - misfits.begin());
  }

  void release(u32 parity, TimePs now_ps) {
    const u32 blocks = (out_fifos_ + kReleaseThreads - 1) / kReleaseThreads;
    launch(run_release, blocks, kReleaseThreads, 0, stream_, v_, out_fifos_, parity, now_ps);
  }

  TimePs earliest_ps(u32 parity) {
    upload(next_ps_, std::vector<TimePs>{kNever});
    const u32 blocks = (v_.nodes + kReleaseThreads - 1) / kReleaseThreads;
    launch(run_earliest, blocks, kReleaseThreads, 0, stream_, v_, parity, next_ps_.get<TimePs>());
    std::vector<TimePs> next_ps(1);
    download(next_ps, next_ps_);
    return next_ps[0];
  }

 private:
  /// Threads of a neighbour's block: one for every FIFO, up to the size of a block.
  static u32 threads_for(const Boundary& host) {
    u32 most = 1;
    for (u32 n = 0; n < host.neighbours; ++n)
      most = std::max({most, host.first_out[n + 1] - host.first_out[n], host.first_in[n + 1] - host.first_in[n]});
    return std::min(1024u, (most + 31) / 32 * 32);
  }
  /// `from` is pageable memory, so it has been read when this returns.
  template <class T>
  void upload(const DeviceMemory& to, const std::vector<T>& from) {
    cuda_check(cudaMemcpyAsync(to.get(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream_),
               "writing to the device");
  }
  template <class T>
  void download(std::vector<T>& to, const DeviceMemory& from) {
    cuda_check(cudaMemcpyAsync(to.data(), from.get(), to.size() * sizeof(T), cudaMemcpyDeviceToHost, stream_),
               "exchanging");
    cuda_check(cudaStreamSynchronize(stream_), "exchanging with other ranks");
  }

  View v_;
  u32 out_fifos_, threads_;
  cudaStream_t stream_;
  DeviceMemory parcels_, misfits_, next_ps_;
  std::unique_ptr<WordMemory> words_;
};

}  // namespace heddle
