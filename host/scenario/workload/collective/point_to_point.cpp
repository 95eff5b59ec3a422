// All-to-all, gather and scatter over send/recv: in round r a rank sends to the r-th rank after it and receives from
// the r-th before it, over p2p_channels connections each. Inside a server the connections are NVLink.
#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/algorithms.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

void check_connections(const JobBuilder& builder, u64 connections) {
  if (connections <= kMaxConnections) return;
  throw ConfigError(
      fmt::format("job[{}]: {} ranks x all others x {} channels are {} connections, and tables hold at most {}. An "
                  "all_to_all needs none on GPUs that carry nothing else (no message, no other job, no other kind of "
                  "collective, no explicit paths); give it GPUs of its own, or use fewer GPUs or p2p_channels = 1",
                  builder.index, builder.ranks(), builder.options.p2p_channels, connections, kMaxConnections));
}

void add_channel_end(const JobBuilder& builder, u32 rank, u32 connection, bool sends, u32 order) {
  builder.add_channel_end(rank, sends ? kNone : connection, sends ? connection : kNone, order);
}

/// For gather and scatter: the r-th rank after or before the root has one connection with it per channel.
void add_rooted_channel_ends(const JobBuilder& builder, bool root_sends) {
  const u32 n = builder.ranks(), channels = builder.options.p2p_channels, root = builder.root();
  const auto peer = [&](u32 round) { return root_sends ? (root + round) % n : (root + n - round) % n; };
  const u32 first = static_cast<u32>(builder.world.collectives.connections.size());
  for (u32 round = 1; round < n; ++round) {
    for (u32 c = 0; c < channels; ++c)
      builder.add_connection(root_sends ? root : peer(round), root_sends ? peer(round) : root, c);
  }
  for (const u32 rank : builder.ranks_by_gpu()) {
    const u32 own = root_sends ? (rank + n - root) % n : (root + n - rank) % n;  // 0: the root, which is in every round
    for (u32 round = std::max(own, 1u); round < (own == 0 ? n : own + 1); ++round) {
      for (u32 c = 0; c < channels; ++c)
        add_channel_end(builder, rank, first + (round - 1) * channels + c, (rank == root) == root_sends,
                        round * channels + c);
    }
  }
}

/// Counts the connections of pairs of GPUs, `inside` of which are within a server.
void count_pairs(const JobOptions& job, u64 pairs, u64 inside, bool in_tables, WorkloadCounts& counts) {
  const u64 connections = pairs * job.p2p_channels;
  const u64 qps = (pairs - inside) * job.p2p_channels * job.qps_per_connection;
  if (in_tables) {
    counts.connections += connections;
    counts.channel_ends += 2 * connections;
    counts.qps += qps;
  } else {
    counts.connections_on_use += connections;
    counts.qps_on_use += qps;
  }
}

}  // namespace

void add_all_to_all_channel_ends(const JobBuilder& builder) {
  builder.options.pxn ? add_pxn_channel_ends(builder) : add_all_to_all_v_channel_ends(builder);
}

void add_all_to_all_v_channel_ends(const JobBuilder& builder) {
  const u32 n = builder.ranks(), channels = builder.options.p2p_channels;
  check_connections(builder, static_cast<u64>(n) * (n - 1) * channels);
  const u32 first = static_cast<u32>(builder.world.collectives.connections.size());
  for (u32 rank = 0; rank < n; ++rank) {
    for (u32 round = 1; round < n; ++round) {
      for (u32 c = 0; c < channels; ++c) builder.add_connection(rank, (rank + round) % n, c);
    }
  }
  const auto connection = [&](u32 rank, u32 round, u32 c) {
    return first + (rank * (n - 1) + round - 1) * channels + c;
  };
  for (const u32 rank : builder.ranks_by_gpu()) {
    for (const bool sends : {true, false}) {
      for (u32 round = 1; round < n; ++round) {
        const u32 sender = sends ? rank : (rank + n - round) % n;
        for (u32 c = 0; c < channels; ++c)
          add_channel_end(builder, rank, connection(sender, round, c), sends, round * channels + c);
      }
    }
  }
}

/// Adds the channel ends of a send/recv from every rank to the next.
void add_send_recv_channel_ends(const JobBuilder& builder) {
  const u32 n = builder.ranks(), channels = builder.options.p2p_channels;
  const u32 first = static_cast<u32>(builder.world.collectives.connections.size());
  for (u32 rank = 0; rank < n; ++rank) {
    for (u32 c = 0; c < channels; ++c) builder.add_connection(rank, (rank + 1) % n, c);
  }
  for (const u32 rank : builder.ranks_by_gpu()) {
    for (const bool sends : {true, false}) {
      const u32 sender = sends ? rank : (rank + n - 1) % n;
      for (u32 c = 0; c < channels; ++c) add_channel_end(builder, rank, first + sender * channels + c, sends, c);
    }
  }
}

void add_gather_channel_ends(const JobBuilder& builder) { add_rooted_channel_ends(builder, false); }
void add_scatter_channel_ends(const JobBuilder& builder) { add_rooted_channel_ends(builder, true); }

/// nccl-tests' size covers all ranks' parts; for a send it is the size that each rank sends, and for an all-to-all-v
/// that of each pair.
u64 peer_bytes(CollectiveKind kind, u64 bytes, u64 ranks) {
  const bool of_each =
      kind == CollectiveKind::send || kind == CollectiveKind::send_recv || kind == CollectiveKind::all_to_all_v;
  return of_each ? bytes : (bytes + ranks - 1) / ranks;
}

void set_all_pairs(const JobBuilder& builder, u64 first_connection) {
  Job& job = builder.job();
  const u64 ranks = job.ranks.size(), channels = builder.options.p2p_channels, qps = builder.options.qps_per_connection;
  const u64 server = builder.options.gpus_per_server, per_nic = (ranks - server) * channels * qps;
  if (per_nic > kMaxQpsPerEndpoint) {
    throw ConfigError(fmt::format(
        "job[{}]: {} ranks x {} channels x {} QPs are {} QPs of one direction at a NIC, which has room for {}; "
        "use fewer GPUs, p2p_channels or qps_per_connection",
        builder.index, ranks, channels, qps, per_nic, kMaxQpsPerEndpoint));
  }
  const u64 connections = ranks * (ranks - 1) * channels;
  if (first_connection + connections > kMaxNumberedConnections) {
    throw ConfigError(fmt::format(
        "job[{}]: {} ranks x all others x {} channels are {} connections; with those of other jobs more than "
        "{}, as far as they can be numbered; use fewer GPUs or p2p_channels = 1",
        builder.index, ranks, channels, connections, kMaxNumberedConnections));
  }
  job.groups[0].first_connection = static_cast<u32>(first_connection);
  job.groups[0].connections = static_cast<u32>(connections);
  job.all_pairs = {static_cast<u32>(channels), static_cast<u32>(server), static_cast<u32>(qps)};
}

/// An empty send is an empty slice: the receiver still waits for it.
SliceCut cut_point_to_point(const CutInput& in) {
  const u64 bytes = channel_bytes(peer_bytes(in.kind, in.bytes, in.ranks), in.options.p2p_channels);
  SliceCut cut = cut_stream(bytes, in.options.p2p_slice_bytes, in.protocol);
  cut.schedule.total = std::max(cut.schedule.total, 1u);
  if (in.options.slots != 0 && in.protocol == Protocol::simple) cut.slots = in.options.slots;
  return cut;
}

void count_all_to_all(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts) {
  options.pxn ? count_pxn(options, gpus, counts) : count_all_to_all_v(options, gpus, in_tables, counts);
}

void count_all_to_all_v(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts) {
  const u64 others_inside = options.gpus_per_server - 1;
  count_pairs(options, gpus * (gpus - 1), gpus * others_inside, in_tables, counts);
  counts.nvlinks += gpus * others_inside;
}

/// Between several servers, the last GPU of each sends to the next server.
void count_send_recv(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts) {
  const u64 server = options.gpus_per_server, between = gpus == server ? 0 : gpus / server;
  count_pairs(options, gpus, gpus - between, in_tables, counts);
  counts.nvlinks += 2 * (gpus - between);
}

void count_rooted(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts) {
  const u64 others_inside = options.gpus_per_server - 1;
  count_pairs(options, gpus - 1, others_inside, in_tables, counts);
  counts.nvlinks += 2 * others_inside;
}

}  // namespace heddle
