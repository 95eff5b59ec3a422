// How a collective's data is cut into slices (kernels/MODEL.md, 9.1), as NCCL's protocols do.
#pragma once

#include "host/scenario/workload/job_options.hpp"
#include "kernels/world/collective.hpp"

namespace heddle {

/// The limit on slices of all collectives of a group of channel ends, on every connection: slices are numbered through
/// all of them, and a slot or a queue pair is a remainder of the number, so numbers must not wrap.
inline constexpr u64 kMaxSlices = 0x7fffffff;

/// The encoding and step size of a protocol.
struct ProtocolRule {
  Protocol protocol;
  u64 data_of_line, bytes_of_line;  // data in a line, and its size with flags
  u64 max_data_bytes;               // most data of a slice; 0: as configured
};

/// NCCL, device.h: LL stores 4 B of data and 4 B of flag alternately, and a step holds 512 threads x 8 lines of 16 B;
/// LL128 has a flag in every 128 B, and a step holds 640 threads x 120 words of 8 B.
inline constexpr ProtocolRule kProtocolRules[kProtocols] = {
    {Protocol::simple, 1, 1, 0},
    {Protocol::ll, 8, 16, 32 << 10},
    {Protocol::ll128, 120, 128, 576'000},
};

inline const ProtocolRule& rule_of(Protocol protocol) { return kProtocolRules[static_cast<u32>(protocol)]; }

/// The bytes sent for so much data, including flags.
u64 bytes_with_flags(Protocol protocol, u64 data_bytes);

/// Rounds up to whole vectors of 16 B, as NCCL moves only those.
u64 whole_vectors(u64 bytes);

/// Bytes of each of `channels` equal parts, in whole vectors.
u64 channel_bytes(u64 bytes, u32 channels);

/// The slices of a collective on every connection of its group.
struct SliceCut {
  SliceSchedule schedule;
  u32 phases = 1;
  u32 slices_full = 1, slices_tail = 1;  // slices per chunk
  u32 slots = 8;
};

/// What a channel end has of its channel's rate, flags included, as Collective::channel_ps_per_byte_q16: in a tree of
/// the simple protocol both directions share a thread block, by NVLS the parts of all `heads` do.
u32 channel_ps_per_byte_q16(const CollectiveSettings& settings, Algorithm algorithm, Protocol protocol, u32 heads);

/// `bytes` of one channel around a ring of `ranks` in `hops` hops. Full loops take ranks chunks; the last loop's chunk
/// is ceil(rest / ranks) rounded up to 16 B, and its slices are as even as 16 B and min_slice allow: the second may be
/// shorter, or empty. The simple protocol has slices_per_chunk slices of `slice`, the others one. Throws ConfigError
/// when the slices cannot be numbered.
SliceCut cut_ring(u64 bytes, u32 ranks, u32 hops, Protocol protocol, const JobOptions& options);

/// `bytes` of one channel, forwarded slice by slice: at most `slice_bytes` of data each, or what the protocol allows.
/// Throws ConfigError like cut_ring.
SliceCut cut_stream(u64 bytes, u64 slice_bytes, Protocol protocol);

/// The data in a step of a protocol's buffer: of the simple one half of a ring's slice.
u64 step_bytes(Protocol protocol, const JobOptions& options);

/// `bytes` of one channel, forwarded at most a step at a time, as in trees and chains, in slices of `slice_bytes`.
/// Throws ConfigError like cut_ring.
SliceCut cut_steps(u64 bytes, u64 slice_bytes, Protocol protocol, const JobOptions& options);

}  // namespace heddle
