// The configurations of the acceptance tests, as text. Each test shows what its own must show; digest_test.cpp runs all
// of them on everything that must give the same bits.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle::acceptance {

/// 17 racks, one GPU each, 18 CTSWs: 16 senders in 16 racks and the receiver's, hashed over all uplinks per QP.
std::string incast_fabric(u64 seed);
/// 16 greedy senders of 32 MiB each to endpoint 0 over 4 QPs, no congestion control.
std::string greedy_incast(u64 seed);
/// The same bytes as a Gather over send/recv: 128 KiB slices x 8 slots x 2 channels of each sender, 32 MiB in flight.
std::string admitted_gather(u64 seed);

/// 8 flows into one 40G port, marked between 5 and 200 KB with 1 % at most, under a DCQCN preset.
std::string dcqcn_at_40g(const std::string& preset, const std::string& horizon);
inline constexpr u64 kDcqcnKminBytes = 5'000, kDcqcnKmaxBytes = 200'000;

/// 16 hosts of a star send 1 MiB each to another through ingress accounts of `headroom_bytes` (0: as computed) beyond
/// XOFF; `buffer` is "static" (XOFF 40 KB) or "shared" (dynamic XOFF).
std::string headroom_incast(u64 seed, const std::string& buffer, u64 headroom_bytes);

/// [topology] of a zone of racks x gpus_per_rack under 18 CTSWs, with the epoch that suits its latencies.
std::string zone(u32 racks, u32 gpus_per_rack);
/// A job of one ring all-reduce.
std::string all_reduce(u32 gpus, u32 gpus_per_server, const std::string& size);

}  // namespace heddle::acceptance
