// Broadcast and reduce: the ring of each channel, cut open at the root. Each slice is forwarded when it arrives.
#include <algorithm>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/channels.hpp"

namespace heddle {
namespace {

/// Data goes down the ring, all of it from the root or to the root.
void add_chain_channel_ends(const JobBuilder& builder, bool from_root) {
  const u32 root = builder.root();
  std::vector<std::vector<u32>> orders = ring_orders(builder);
  for (std::vector<u32>& order : orders) {
    const auto first = std::find(order.begin(), order.end(), root);
    std::rotate(order.begin(), from_root ? first : first + 1, order.end());
  }
  add_channel_ends_along(builder, orders, false);
}

/// Counts rings without the closing connection. That one leads from one server to another on the channels where the
/// root is at GPU `place`, counted from the channel's first.
void count_chains(const JobOptions& options, u64 gpus, u32 place, WorkloadCounts& counts) {
  count_rings(options, gpus, true, counts);
  const u32 server = options.gpus_per_server, channels = options.channels;
  counts.connections -= channels;
  if (gpus == server) return;
  u64 between = 0;
  for (u32 c = 0; c < channels; ++c)
    between += (first_gpu(options, c) + place) % server == options.root % server ? 1 : 0;
  counts.qps -= between * options.qps_per_connection;
  if (!rings_relay(options, gpus / server)) return;
  counts.connections -= between;
  counts.channel_ends -= between;
}

}  // namespace

/// The root is the first GPU of its server: no GPU of another server sends to it.
void count_broadcast(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  count_chains(options, gpus, 0, counts);
}
/// The root is the last GPU: it sends to no other server.
void count_reduce(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  count_chains(options, gpus, options.gpus_per_server - 1, counts);
}

void add_broadcast_channel_ends(const JobBuilder& builder) { add_chain_channel_ends(builder, true); }
void add_reduce_channel_ends(const JobBuilder& builder) { add_chain_channel_ends(builder, false); }

SliceCut cut_chains(const CutInput& in) {
  return cut_steps(channel_bytes(in.bytes, in.options.channels), step_bytes(in.protocol, in.options), in.protocol,
                   in.options);
}

}  // namespace heddle
