// Ring all-reduce, all-gather and reduce-scatter: every rank sends to the next and receives from the one before, on
// each channel's ring.
#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/channels.hpp"

namespace heddle {

namespace {

/// The connections of one rank on one channel.
struct RingConnections {
  u32 in = kNone, out = kNone;
  u32 relay_in = kNone, relay_out = kNone;  // of what it sends by its NIC for the last GPU of its server
};

}  // namespace

void add_channel_ends_along(const JobBuilder& builder, std::span<const std::vector<u32>> orders, bool closed) {
  const u32 ranks = builder.ranks(), channels = static_cast<u32>(orders.size());
  const bool crosses = crosses_nics(builder.options);
  std::vector<RingConnections> of(static_cast<u64>(channels) * ranks);  // [channel * ranks + rank]
  for (u32 c = 0; c < channels; ++c) {
    RingConnections* of_channel = &of[static_cast<u64>(c) * ranks];
    for (u32 i = 0; i + (closed ? 0 : 1) < ranks; ++i) {
      const u32 from = orders[c][i], to = orders[c][(i + 1) % ranks];
      const u32 relay = crosses ? from : builder.relay_of(from, to);
      if (relay != from) of_channel[from].out = of_channel[relay].relay_in = builder.add_connection(from, relay, c);
      (relay == from ? of_channel[from].out : of_channel[relay].relay_out) = of_channel[to].in =
          builder.add_connection(relay, to, c);
    }
  }
  for (const u32 rank : builder.ranks_by_gpu()) {
    for (u32 c = 0; c < channels; ++c) {
      const RingConnections& own = of[static_cast<u64>(c) * ranks + rank];
      if (own.relay_in != kNone) builder.add_relay(rank, own.relay_in, own.relay_out, 0);
    }
    for (u32 c = 0; c < channels; ++c) {
      const RingConnections& own = of[static_cast<u64>(c) * ranks + rank];
      builder.add_channel_end(rank, own.in, own.out, 0);
    }
  }
}

void add_ring_channel_ends(const JobBuilder& builder) { add_channel_ends_along(builder, ring_orders(builder), true); }

SliceCut cut_rings(const CutInput& in) {
  const u32 hops = (reduces_for_all(in.kind) ? 2 : 1) * (in.ranks - 1);
  return cut_ring(channel_bytes(in.bytes, in.options.channels), in.ranks, hops, in.protocol, in.options);
}

/// A ring is one connection per GPU and channel; it goes through a server from one GPU to the next. On its rail it has
/// one more in each server, back to the GPU at which it came in.
void count_rings(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  const u64 server = options.gpus_per_server, servers = gpus / server;
  const u64 channels = options.channels;
  const bool relays = rings_relay(options, servers);
  counts.connections += channels * (gpus + (relays ? servers : 0));
  counts.channel_ends += channels * (gpus + (relays ? servers : 0));
  counts.qps += channels * (servers > 1 ? servers : 0) * options.qps_per_connection;
  // Neighbours on the circle of a server's GPUs, both ways, but for the pair where all channels come in and go out.
  const u64 circle = server - (servers > 1 && !relays && one_entrance(options) ? 1 : 0);
  counts.nvlinks += server == 1 ? 0 : server == 2 ? gpus : 2 * circle * servers;
}

}  // namespace heddle
