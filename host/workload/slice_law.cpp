#include "host/workload/slice_law.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/error.hpp"

namespace heddle {
namespace {

/// NCCL moves 16 B vectors.
constexpr u64 kVectorBytes = 16;

u64 round_up(u64 bytes) { return (bytes + kVectorBytes - 1) / kVectorBytes * kVectorBytes; }

u32 slices_u32(u64 slices, u64 slice_bytes) {
  if (slices > kMaxSlices) {
    throw ConfigError(
        fmt::format("job.collective.sizes: {} slices of {} B on one connection cannot be counted in 31 "
                    "bits; take larger slices or a smaller size",
                    slices, slice_bytes));
  }
  return static_cast<u32>(slices);
}

}  // namespace

u64 channel_bytes(u64 bytes, u32 channels) { return round_up((bytes + channels - 1) / channels); }

RingCut cut_ring(u64 bytes, u32 ranks, u32 hops, const JobOptions& options) {
  const u64 chunk = options.slice_bytes * options.slices_per_chunk;
  const u64 full_loops = bytes / (chunk * ranks), rest = bytes % (chunk * ranks);
  const u64 tail_chunk = round_up((rest + ranks - 1) / ranks);
  const u64 share = round_up((tail_chunk + options.slices_per_chunk - 1) / options.slices_per_chunk);
  const u64 first = std::min(tail_chunk, std::max(share, std::min(options.min_slice_bytes, options.slice_bytes)));
  RingCut cut;
  cut.slices_full = options.slices_per_chunk;
  cut.slices_tail = options.slices_per_chunk;
  const u64 full = full_loops * hops * cut.slices_full;
  const u64 tail = tail_chunk == 0 ? 0 : static_cast<u64>(hops) * cut.slices_tail;
  cut.law.full = slices_u32(full, options.slice_bytes);
  cut.law.total = slices_u32(full + tail, options.slice_bytes);
  cut.law.full_bytes = static_cast<u32>(options.slice_bytes);
  cut.law.tail_period = cut.slices_tail;
  cut.law.tail_bytes[0] = static_cast<u32>(first);
  cut.law.tail_bytes[1] = static_cast<u32>(tail_chunk - first);
  return cut;
}

SliceLaw cut_point_to_point(u64 bytes, const JobOptions& options) {
  SliceLaw law;
  const u64 full = bytes / options.p2p_slice_bytes, rest = bytes % options.p2p_slice_bytes;
  law.full = slices_u32(full, options.p2p_slice_bytes);
  law.total = slices_u32(full + (rest > 0 ? 1 : 0), options.p2p_slice_bytes);
  law.full_bytes = static_cast<u32>(options.p2p_slice_bytes);
  law.tail_bytes[0] = static_cast<u32>(rest);
  return law;
}

u64 total_bytes(const SliceLaw& law) {
  u64 sum = static_cast<u64>(law.full) * law.full_bytes;
  const u64 tail = law.total - law.full;
  if (law.tail_period == 2) return sum + tail / 2 * (static_cast<u64>(law.tail_bytes[0]) + law.tail_bytes[1]);
  return sum + tail * law.tail_bytes[0];
}

}  // namespace heddle
