// The configurations of the acceptance tests, as text. Each test shows its own requirement; digest_test.cpp runs all of
// them on everything that must give the same bits.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle::acceptance {

/// [topology] of small fabrics with 400G links everywhere.
inline constexpr const char* kSmallStar = "[topology]\nkind = 'star'\nhosts = 5\n";
inline constexpr const char* kSmallZone =
    "[topology]\nkind = 'ai_zone'\nracks = 4\ngpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 4\n";
inline constexpr const char* kSmallPods =
    "[topology]\nkind = 'multi_zone'\nzones = 2\nracks = 2\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
    "atsws = 2\nuplinks_per_ctsw = 2\n";
/// A configuration with one message posted at kPostPs, without jitter.
std::string one_flow(const std::string& topology, u32 src, u32 dst, u64 bytes);
inline constexpr i64 kPostPs = 777'777;

/// 7 hosts of a star: all but kTieTarget send it one packet of 4096 B at the same time.
std::string simultaneous(u64 seed, i64 post_ps);
inline constexpr u32 kTieHosts = 7, kTieTarget = 5;

/// csg-htsim's model: 64 B of headers and no RETH, so 4160 B on the wire; an ACK of 64 B per packet.
std::string htsim_model();
/// The leaf-spine of csg-htsim: 16 leaves x 8 hosts and 8 spines, 400G, 1 us links, no pipelines.
std::string htsim_leaf_spine();
/// The flow of csg-htsim: one message from host 8 to host 0.
std::string htsim_message(u64 bytes);

/// 17 racks, one GPU each, 18 CTSWs: 16 senders in 16 racks and the receiver's, hashed over all uplinks per QP.
std::string incast_fabric(u64 seed);
/// 16 greedy senders of 32 MiB each to endpoint 0 over 4 QPs, no congestion control.
std::string greedy_incast(u64 seed);
/// The bytes of greedy_incast() as a Gather over send/recv: 128 KiB slices x 8 slots x 2 channels of each sender, 32
/// MiB in flight.
std::string admitted_gather(u64 seed);

/// 8 flows into one 40G port, marked between 5 and 200 KB with 1 % at most, under a DCQCN preset.
std::string dcqcn_at_40g(const std::string& preset, const std::string& horizon);
inline constexpr u64 kDcqcnKminBytes = 5'000, kDcqcnKmaxBytes = 200'000;

/// 16 hosts of a star send 1 MiB each to another through ingress accounts of `headroom_bytes` (0: computed) beyond
/// XOFF; `buffer` is "static" (XOFF 40 KB) or "shared" (dynamic XOFF).
std::string headroom_incast(u64 seed, const std::string& buffer, u64 headroom_bytes);

/// [topology] of a zone of racks x gpus_per_rack under 18 CTSWs, with an epoch that suits its latencies.
std::string zone(u32 racks, u32 gpus_per_rack);
/// 32 GPUs in 2 racks train a small mixture of experts with every kind of parallelism: two iterations.
std::string training_of_a_mixture();
/// A job of one ring all-reduce.
std::string all_reduce(u32 gpus, u32 gpus_per_server, const std::string& size);

}  // namespace heddle::acceptance
