#include "host/scenario/workload/collective/job_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/channels.hpp"

namespace heddle {

u32 JobBuilder::add_connection(u32 from_rank, u32 to_rank, u32 channel) const {
  std::vector<Connection>& connections = world.collectives.connections;
  if (connections.size() == kMaxConnections) {
    throw ConfigError(fmt::format("job[{}]: with it there are more than {} connections; use fewer GPUs or channels",
                                  index, kMaxConnections));
  }
  const u32 connection_number = static_cast<u32>(connections.size());
  Connection connection;
  connection.src = job().ranks[from_rank];
  connection.dst = job().ranks[to_rank];
  connection.channel = channel;
  connection.nvlink = same_server(connection.src, connection.dst);
  connections.push_back(connection);
  if (!connection.nvlink)
    traffic.add_connection(connection_number, connection.src, connection.dst, options.qps_per_connection);
  return connection_number;
}

u32 JobBuilder::add_joined(InSwitch what, u32 rank, u32 channel) const {
  std::vector<Connection>& connections = world.collectives.connections;
  const u32 first = static_cast<u32>(connections.size()), gpus = options.gpus_per_server;
  for (u32 other = rank - rank % gpus; other < rank - rank % gpus + gpus; ++other) {
    if (other == rank) continue;
    const bool comes = what == InSwitch::reduces;
    Connection& connection = connections[add_connection(comes ? other : rank, comes ? rank : other, channel)];
    connection.in_switch = what;
    connection.first_joined = first;
    connection.joined = gpus - 1;
  }
  return first;
}

void JobBuilder::add_channel_end(u32 rank, const Peers& recv, const Peers& send, u32 order) const {
  CollectivePlan& plan = world.collectives;
  const u32 channel_end = static_cast<u32>(plan.channel_ends.size());
  plan.channel_ends.push_back({job().ranks[rank], recv, send, order});
  const auto each = [&](const Peers& peers, InSwitch shared, u32 Connection::*end) {
    for (u32 i = 0; i < peers.count(); ++i) {
      const Connection named = plan.connections[peers.connection[i]];
      const u32 joined = named.in_switch == shared ? named.joined : 1;
      for (u32 c = 0; c < joined; ++c) plan.connections[peers.connection[i] + c].*end = channel_end;
    }
  };
  each(recv, InSwitch::reduces, &Connection::recv_channel_end);
  each(send, InSwitch::multicasts, &Connection::send_channel_end);
}

u32 JobBuilder::relay_of(u32 from_rank, u32 to_rank) const {
  const u32 gpus = options.gpus_per_server;
  return from_rank / gpus == to_rank / gpus ? from_rank : from_rank - from_rank % gpus + to_rank % gpus;
}

void JobBuilder::add_relay(u32 rank, u32 recv, u32 send, u32 order) const {
  add_channel_end(rank, recv, send, order);
  world.collectives.channel_ends.back().relays = true;
}

u32 JobBuilder::root() const {
  if (options.root < ranks()) return options.root;
  throw ConfigError(
      fmt::format("job[{}].root: rank {} of {}; give 0 to {}", index, options.root, ranks(), ranks() - 1));
}

std::vector<u32> JobBuilder::ranks_by_gpu() const {
  const std::vector<EndpointId>& gpus = job().ranks;
  std::vector<u32> ranks(gpus.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::sort(ranks.begin(), ranks.end(), [&](u32 a, u32 b) { return gpus[a] < gpus[b]; });
  return ranks;
}

std::vector<std::vector<u32>> ring_orders(const JobBuilder& builder) {
  const u32 server = builder.options.gpus_per_server;
  std::vector<std::vector<u32>> orders(builder.options.channels);
  for (u32 channel = 0; channel < orders.size(); ++channel) {
    const u32 first = first_gpu(builder.options, channel);
    orders[channel].reserve(builder.ranks());
    for (u32 i = 0; i < builder.ranks(); ++i) orders[channel].push_back(i / server * server + (first + i) % server);
  }
  return orders;
}

}  // namespace heddle
