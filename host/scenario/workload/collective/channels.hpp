// The channels of collectives, as NCCL counts them: thread blocks that each work on a part of the data.
#pragma once

#include "host/scenario/workload/collective/tuner.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle {

/// The part of a NIC's rate that the channels of NCCL's graph have: 48, 24, 12 GB/s for 400, 200, 100 Gb/s.
inline constexpr double kChannelOfNic = 0.96;

/// The channels of rings and trees that NCCL's search finds (src/graph/search.cc).
struct ChannelGraph {
  u32 channels;
  double channel_GBps;
};
ChannelGraph graph_of(const TunerInput& input);

/// Number of channels of rings and trees where job.channels does not say it.
u32 default_channels(const TunerInput& input);

/// Number of channels that a collective uses, of input.channels (NVLS: of its own): fewer for little data, rounded down
/// to a power of two.
u32 used_channels(const JobOptions& options, const TunerInput& input, Algorithm algorithm, Protocol protocol);

/// Number of NICs that rings, trees and NVLS use in a server.
u32 nics_of(const JobOptions& options);

/// Number of GPUs of a server that sum a part of the data by NVLS: across servers those with a NIC.
u32 nvls_heads(const JobOptions& options, u64 servers);

/// GPU of each server, counted from the server's first, at which a channel enters it.
u32 first_gpu(const JobOptions& options, u32 channel);

/// job.cross_nic, "yes" or "no": by "auto" no where the NICs of servers have rails.
std::string cross_nic_on(const Fabric& fabric, const JobOptions& options);

/// Whether a channel leaves a server by another NIC than it came in by: job.cross_nic, once it is yes or no.
bool crosses_nics(const JobOptions& options);

/// Whether a ring's data goes back to the GPU at which it came into a server before it leaves it.
bool rings_relay(const JobOptions& options, u64 servers);

/// Whether all channels enter servers at the same GPU, so that no NVLink joins it with the GPU before.
bool one_entrance(const JobOptions& options);

}  // namespace heddle
