// How a collective's data is cut into slices (kernels/MODEL.md, 9.1), as NCCL's simple protocol does.
#pragma once

#include "host/workload/job_options.hpp"
#include "kernels/world/collective.hpp"

namespace heddle {

/// Of all collectives of a job together, on every connection: slices are numbered on through them, and a slot or a
/// queue pair is a remainder of the number, so numbers must not wrap.
inline constexpr u64 kMaxSlices = 0x7fffffff;

/// Bytes of each of `channels` equal parts, in whole 16 B vectors.
u64 channel_bytes(u64 bytes, u32 channels);

/// A ring's stream on every connection of one channel.
struct RingCut {
  SliceLaw law;
  u32 slices_full = 1, slices_tail = 1;  // slices per chunk
};

/// `bytes` of one channel around a ring of `ranks` in `hops` hops. Full loops take ranks chunks of slices_per_chunk
/// slices; the last loop's chunk is ceil(rest / ranks) rounded up to 16 B, and its slices as even as 16 B and min_slice
/// allow: the second may be shorter, or empty. Throws ConfigError when the slices do not fit into 32 bits.
RingCut cut_ring(u64 bytes, u32 ranks, u32 hops, const JobOptions& options);

/// `bytes` of one channel to one peer: slices of p2p_slice and the rest. Throws ConfigError like cut_ring.
SliceLaw cut_point_to_point(u64 bytes, const JobOptions& options);

/// All bytes that a stream carries.
u64 total_bytes(const SliceLaw& law);

}  // namespace heddle
