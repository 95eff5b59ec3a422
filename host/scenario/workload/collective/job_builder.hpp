// A job with known ranks, while its connections, channel ends and collectives are built.
#pragma once

#include <vector>

#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/traffic_builder.hpp"
#include "kernels/world/servers.hpp"

namespace heddle {

/// The limit on connections in tables, over all jobs: 9 GB of tables and state, allocated from the start.
inline constexpr u64 kMaxConnections = u64{1} << 24;
/// The limit on all connections of all jobs: they are numbered in 32 bits, and so are channel ends, two per connection.
inline constexpr u64 kMaxNumberedConnections = (u64{1} << 31) - 1;
/// The limit on collectives of all jobs: sizes times repetitions.
inline constexpr u64 kMaxCollectives = u64{1} << 24;

struct JobBuilder {
  const JobOptions& options;  // gpus_per_server: number of its ranks in each server; channels: those of the group
  u32 index = 0;              // index of the job in the configuration, for errors
  u32 gpus_per_server = 1;    // GPUs joined by NVLink
  u32 number = 0;             // number in the plan
  World& world;
  TrafficBuilder& traffic;

  JobBuilder with(const JobOptions& other) const { return {other, index, gpus_per_server, number, world, traffic}; }
  Job& job() const { return world.collectives.jobs[number]; }
  u32 ranks() const { return static_cast<u32>(job().ranks.size()); }
  /// Whether NVLink joins two GPUs, that is they share a server.
  bool same_server(EndpointId a, EndpointId b) const {
    return gpus_per_server > 1 && server_of(a, gpus_per_server) == server_of(b, gpus_per_server);
  }
  /// Adds a connection between two ranks, with QPs unless it is NVLink; returns its number.
  u32 add_connection(u32 from_rank, u32 to_rank, u32 channel) const;
  /// Adds the connections between a rank and all others of its server that the server's switch joins, in order of the
  /// others: those to the rank (reduces), or from it (multicasts). Returns the first one's number.
  u32 add_joined(InSwitch what, u32 rank, u32 channel) const;
  /// Appends a channel end of a rank, as an end of its connections. Channel ends come in order of their GPUs.
  void add_channel_end(u32 rank, const Peers& recv, const Peers& send, u32 order) const;
  /// The rank of `from`'s server whose NIC sends what `from` has for `to`, when channels stay on their rail: the one
  /// with the number of `to` in its server. `from` itself where they share a rail or a server.
  u32 relay_of(u32 from_rank, u32 to_rank) const;
  /// Appends a channel end at which the proxy of a rank sends over the network what another rank of its server has put
  /// there by NVLink. A rank's relays come before its other channel ends.
  void add_relay(u32 rank, u32 recv, u32 send, u32 order) const;
  /// The rank that all data comes from or goes to. Throws ConfigError when there is no such rank.
  u32 root() const;
  /// Rank numbers in order of their GPUs: channel ends are ordered by GPU.
  std::vector<u32> ranks_by_gpu() const;
};

/// By channel, the ranks in the order of its ring: it enters each server at the channel's first GPU, passes through it
/// by NVLink, and leaves from the GPU before, or by the first one's NIC, when channels stay on their rail. So NICs send
/// equally many rings and receive as many.
std::vector<std::vector<u32>> ring_orders(const JobBuilder& builder);

}  // namespace heddle
