// Ring all-reduce, all-gather and reduce-scatter: every rank sends to the next and receives from the one before, on
// each channel's ring.
#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/channels.hpp"

namespace heddle {

void add_channel_ends_along(const JobBuilder& builder, std::span<const std::vector<u32>> orders, bool closed) {
  const u32 ranks = builder.ranks(), channels = static_cast<u32>(orders.size());
  // [channel * ranks + rank] -> the connection that leaves it; its predecessor's is the one that arrives
  std::vector<u32> out(static_cast<u64>(channels) * ranks, kNone), in(out.size(), kNone);
  for (u32 c = 0; c < channels; ++c) {
    for (u32 i = 0; i + (closed ? 0 : 1) < ranks; ++i) {
      const u32 from = orders[c][i], to = orders[c][(i + 1) % ranks];
      out[static_cast<u64>(c) * ranks + from] = in[static_cast<u64>(c) * ranks + to] =
          builder.add_connection(from, to, c);
    }
  }
  for (const u32 rank : builder.ranks_by_gpu()) {
    for (u32 c = 0; c < channels; ++c) {
      const u64 at = static_cast<u64>(c) * ranks + rank;
      builder.add_channel_end(rank, in[at], out[at], 0);
    }
  }
}

void add_ring_channel_ends(const JobBuilder& builder) { add_channel_ends_along(builder, ring_orders(builder), true); }

SliceCut cut_rings(const CutInput& in) {
  const u32 hops = (reduces_for_all(in.kind) ? 2 : 1) * (in.ranks - 1);
  return cut_ring(channel_bytes(in.bytes, in.options.channels), in.ranks, hops, in.protocol, in.options);
}

/// A ring is one connection per GPU and channel; it goes through a server from one GPU to the next.
void count_rings(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  const u64 server = options.gpus_per_server, servers = gpus / server;
  const u64 channels = options.channels;
  counts.connections += channels * gpus;
  counts.channel_ends += channels * gpus;
  counts.qps += channels * (servers > 1 ? servers : 0) * options.qps_per_connection;
  // Neighbours on the circle of a server's GPUs, both ways, but for the pair where all channels come in and go out.
  const u64 circle = server - (servers > 1 && one_entrance(options) ? 1 : 0);
  counts.nvlinks += server == 1 ? 0 : server == 2 ? gpus : 2 * circle * servers;
}

}  // namespace heddle
