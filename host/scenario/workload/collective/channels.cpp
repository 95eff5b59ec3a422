#include "host/scenario/workload/collective/channels.hpp"

#include <algorithm>
#include <bit>

namespace heddle {
namespace {

/// Threads of a block, and bytes for each of them before NCCL takes another channel (topoGetAlgoInfo).
constexpr u64 kChannelBytes[kProtocols] = {512 * 64, 512 * 8, 640 * 8};
/// From 2.28 on also the traffic of a channel (scheduleCollTasksToPlan). An all-reduce counts twice, LL four times.
constexpr u64 kMinTrafficBytes = 32 << 10;

u64 min_channel_bytes(const TunerInput& input, Algorithm algorithm, Protocol protocol) {
  const bool ll = protocol == Protocol::ll;
  u64 min_bytes = kChannelBytes[static_cast<u32>(protocol)];
  if (ll && algorithm == Algorithm::ring) min_bytes *= input.ranks;
  if (input.nccl != "v2.30") return min_bytes;
  return std::max(min_bytes, kMinTrafficBytes / (reduces_for_all(input.kind) ? 2 : 1) / (ll ? 4 : 1));
}

/// MAXCHANNELS of src/include/device.h.
u32 max_channels(const TunerInput& input) { return input.nccl == "v2.19" ? 32 : 64; }

}  // namespace

/// 12 by NVLink alone. Across servers one per NIC, or several of at most 48 GB/s. Those of 25 GB/s and more are cut in
/// two (ncclTopoDupChannels), on Hopper only up to 4 of them, or from 50 GB/s on.
ChannelGraph graph_of(const TunerInput& input) {
  constexpr u32 kNvlinkChannels = 12, kFew = 4;
  constexpr double kMaxGBps = 48, kCutGBps = 25, kCutManyGBps = 50;
  if (input.ranks == input.gpus_per_server) return {kNvlinkChannels, input.nvlink_GBps / kNvlinkChannels};
  const double nic_GBps = kChannelOfNic * input.nic_GBps;
  const u32 of_nic = std::max(static_cast<u32>(nic_GBps / kMaxGBps + 0.01), 1u);  // rates are rounded to whole bits
  const ChannelGraph graph = {input.nics * of_nic, nic_GBps / of_nic};
  const bool few = input.gpu != "hopper" || graph.channels <= kFew;
  const u32 cut = graph.channel_GBps < (few ? kCutGBps : kCutManyGBps) ? 1 : 2;
  return {std::min(cut * graph.channels, max_channels(input) / 2), graph.channel_GBps / cut};
}

/// A channel of the graph is two thread blocks (ncclTopoPostset); on Hopper across servers four, when there are fewer
/// than 16 and the channel is fast.
u32 default_channels(const TunerInput& input) {
  constexpr double kFastGBps = 45;
  const ChannelGraph graph = graph_of(input);
  const u32 channels = 2 * graph.channels;
  const bool more = input.gpu == "hopper" && input.ranks > input.gpus_per_server && graph.channel_GBps > kFastGBps;
  return more && channels < 16 ? 2 * channels : channels;
}

u32 used_channels(const JobOptions& options, const TunerInput& input, Algorithm algorithm, Protocol protocol) {
  if (algorithm == Algorithm::nvls) return options.channels != 0 ? options.channels : kNvlsChannels;
  const u64 min_bytes =
      options.min_channel_bytes != 0 ? options.min_channel_bytes : min_channel_bytes(input, algorithm, protocol);
  const u64 filled = std::max<u64>(input.bytes / min_bytes, 1);
  return filled >= input.channels ? input.channels : static_cast<u32>(std::bit_floor(filled));
}

u32 nics_of(const JobOptions& options) {
  return options.nics_per_server == 0 ? options.gpus_per_server
                                      : std::min(options.nics_per_server, options.gpus_per_server);
}

u32 nvls_heads(const JobOptions& options, u64 servers) {
  return servers > 1 ? nics_of(options) : options.gpus_per_server;
}

u32 first_gpu(const JobOptions& options, u32 channel) {
  const u32 nics = nics_of(options);
  return channel % nics * (options.gpus_per_server / nics);
}

std::string cross_nic_on(const Fabric& fabric, const JobOptions& options) {
  if (options.cross_nic != "auto") return options.cross_nic;
  return fabric.nics_per_server > 1 ? "no" : "yes";
}

bool crosses_nics(const JobOptions& options) { return options.cross_nic != "no"; }

bool rings_relay(const JobOptions& options, u64 servers) {
  return servers > 1 && options.gpus_per_server > 1 && !crosses_nics(options);
}

bool one_entrance(const JobOptions& options) { return std::min(options.channels, nics_of(options)) == 1; }

}  // namespace heddle
