// All-to-all by PXN: what a GPU has for a GPU of another server goes by NVLink to the GPU of its own server that is on
// the receiver's rail, whose proxy sends it. So a NIC sends to NICs of its own rail alone.
#include <fmt/format.h>

#include <vector>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/algorithms.hpp"

namespace heddle {
namespace {

/// The connections of an all-to-all: of each pair of ranks one a channel, behind each other; with a relay two, of which
/// the first leads to it.
class Connections {
 public:
  explicit Connections(const JobBuilder& builder) : builder_(builder), n_(builder.ranks()) {
    for (u32 rank = 0; rank < n_; ++rank) {
      for (u32 round = 1; round < n_; ++round) add(rank, (rank + round) % n_);
    }
  }

  u32 first_hop(u32 from, u32 to, u32 channel) const { return of(from, to) + hops(from, to) * channel; }
  u32 last_hop(u32 from, u32 to, u32 channel) const { return first_hop(from, to, channel) + hops(from, to) - 1; }

 private:
  u32 hops(u32 from, u32 to) const { return builder_.relay_of(from, to) == from ? 1 : 2; }
  u32 of(u32 from, u32 to) const { return first_[u64{from} * (n_ - 1) + (to + n_ - from) % n_ - 1]; }

  void add(u32 from, u32 to) {
    const u32 relay = builder_.relay_of(from, to);
    first_.push_back(static_cast<u32>(builder_.world.collectives.connections.size()));
    for (u32 c = 0; c < builder_.options.p2p_channels; ++c) {
      if (relay != from) builder_.add_connection(from, relay, c);
      builder_.add_connection(relay, to, c);
    }
  }

  const JobBuilder& builder_;
  u32 n_;
  std::vector<u32> first_;  // by (rank that sends, round)
};

/// What other GPUs of its server send by the NIC of this rank.
void add_relays(const JobBuilder& builder, const Connections& connections, u32 rank) {
  const u32 n = builder.ranks(), gpus = builder.options.gpus_per_server, channels = builder.options.p2p_channels;
  for (u32 round = 1; round < n; ++round) {
    for (u32 from = rank - rank % gpus; from < rank - rank % gpus + gpus; ++from) {
      const u32 to = (from + round) % n;
      if (from == rank || builder.relay_of(from, to) != rank) continue;
      for (u32 c = 0; c < channels; ++c) {
        builder.add_relay(rank, connections.first_hop(from, to, c), connections.last_hop(from, to, c),
                          round * channels + c);
      }
    }
  }
}

/// Pairs of GPUs of different servers: on one rail, and those that need a relay.
struct Pairs {
  u64 inside, rail, relayed;

  Pairs(u64 gpus, u64 per_server)
      : inside(gpus * (per_server - 1)), rail(gpus * (gpus / per_server - 1)), relayed(rail * (per_server - 1)) {}
};

}  // namespace

void add_pxn_channel_ends(const JobBuilder& builder) {
  const u32 n = builder.ranks(), channels = builder.options.p2p_channels;
  WorkloadCounts counts;
  count_pxn(builder.options, n, counts);
  if (counts.connections > kMaxConnections) {
    throw ConfigError(
        fmt::format("job[{}].pxn: an all_to_all of {} GPUs takes {} connections with it, and tables hold at "
                    "most {}; use fewer GPUs or p2p_channels = 1, or leave pxn out",
                    builder.index, n, counts.connections, kMaxConnections));
  }
  const Connections connections(builder);
  for (const u32 rank : builder.ranks_by_gpu()) {
    add_relays(builder, connections, rank);
    for (const bool sends : {true, false}) {
      for (u32 round = 1; round < n; ++round) {
        const u32 peer = sends ? (rank + round) % n : (rank + n - round) % n;
        for (u32 c = 0; c < channels; ++c) {
          builder.add_channel_end(rank, sends ? kNone : connections.last_hop(peer, rank, c),
                                  sends ? connections.first_hop(rank, peer, c) : kNone, round * channels + c);
        }
      }
    }
  }
}

void count_pxn(const JobOptions& options, u64 gpus, WorkloadCounts& counts) {
  const Pairs pairs(gpus, options.gpus_per_server);
  counts.connections += options.p2p_channels * (pairs.inside + pairs.rail + 2 * pairs.relayed);
  counts.channel_ends += options.p2p_channels * (2 * (pairs.inside + pairs.rail) + 3 * pairs.relayed);
  counts.qps += (pairs.rail + pairs.relayed) * options.p2p_channels * options.qps_per_connection;
  counts.nvlinks += pairs.inside;
}

}  // namespace heddle
