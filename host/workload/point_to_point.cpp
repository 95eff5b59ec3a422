// All-to-all and gather over send/recv: in round r a rank sends to the r-th rank after it and receives from the r-th
// before it, over p2p_channels connections each. Inside a server the connections are NVLink.
#include <fmt/format.h>

#include "host/error.hpp"
#include "host/workload/jobs.hpp"
#include "host/workload/slice_law.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

void check_connections(const JobDraft& draft, u64 connections) {
  if (connections <= kMaxConnections) return;
  throw ConfigError(fmt::format(
      "job[{}]: {} ranks x all others x {} channels are {} connections, and tables hold at most {}. An "
      "all_to_all needs none on GPUs that carry nothing else (no message, no other job, no explicit paths); "
      "give it GPUs of its own, or use fewer GPUs or p2p_channels = 1",
      draft.index, draft.job().ranks.size(), draft.options.p2p_channels, connections, kMaxConnections));
}

void add_lane(const JobDraft& draft, EndpointId gpu, u32 connection, bool sends, u32 order) {
  CollectivePlan& plan = draft.world.collectives;
  const u32 lane = static_cast<u32>(plan.lanes.size());
  Connection& c = plan.connections[connection];
  plan.lanes.push_back({gpu, sends ? kNone : connection, sends ? connection : kNone, order});
  (sends ? c.send_lane : c.recv_lane) = lane;
}

}  // namespace

void add_all_to_all_lanes(const JobDraft& draft) {
  const std::vector<EndpointId>& gpus = draft.job().ranks;
  const u32 n = static_cast<u32>(gpus.size()), channels = draft.options.p2p_channels;
  check_connections(draft, static_cast<u64>(n) * (n - 1) * channels);
  const u32 first = static_cast<u32>(draft.world.collectives.connections.size());
  for (u32 rank = 0; rank < n; ++rank) {
    for (u32 round = 1; round < n; ++round) {
      for (u32 c = 0; c < channels; ++c) draft.add_connection(gpus[rank], gpus[(rank + round) % n], c);
    }
  }
  const auto connection = [&](u32 rank, u32 round, u32 c) {
    return first + (rank * (n - 1) + round - 1) * channels + c;
  };
  for (u32 rank : draft.ranks_by_gpu()) {
    for (const bool sends : {true, false}) {
      for (u32 round = 1; round < n; ++round) {
        const u32 sender = sends ? rank : (rank + n - round) % n;
        for (u32 c = 0; c < channels; ++c) {
          add_lane(draft, gpus[rank], connection(sender, round, c), sends, round * channels + c);
        }
      }
    }
  }
}

void set_all_pairs(const JobDraft& draft, u64 first_connection) {
  Job& job = draft.job();
  const u64 ranks = job.ranks.size(), channels = draft.options.p2p_channels, qps = draft.options.qps_per_connection;
  const u64 server = draft.options.gpus_per_server, per_nic = (ranks - server) * channels * qps;
  if (per_nic > kMaxQpsPerEndpoint) {
    throw ConfigError(fmt::format(
        "job[{}]: {} ranks x {} channels x {} QPs are {} QPs of one direction at a NIC, which has room for {}; "
        "use fewer GPUs, p2p_channels or qps_per_connection",
        draft.index, ranks, channels, qps, per_nic, kMaxQpsPerEndpoint));
  }
  const u64 connections = ranks * (ranks - 1) * channels;
  if (first_connection + connections > kMaxNumberedConnections) {
    throw ConfigError(fmt::format(
        "job[{}]: {} ranks x all others x {} channels are {} connections; with those of other jobs more than "
        "{}, as far as they can be numbered; use fewer GPUs or p2p_channels = 1",
        draft.index, ranks, channels, connections, kMaxNumberedConnections));
  }
  job.first_connection = static_cast<u32>(first_connection);
  job.connections = static_cast<u32>(connections);
  job.all_pairs = {static_cast<u32>(channels), static_cast<u32>(server), static_cast<u32>(qps)};
}

void add_gather_lanes(const JobDraft& draft) {
  const std::vector<EndpointId>& gpus = draft.job().ranks;
  const u32 n = static_cast<u32>(gpus.size()), channels = draft.options.p2p_channels, root = draft.options.root;
  if (root >= n) {
    throw ConfigError(fmt::format("job[{}].root: rank {} of {}; give 0 to {}", draft.index, root, n, n - 1));
  }
  const u32 first = static_cast<u32>(draft.world.collectives.connections.size());
  for (u32 round = 1; round < n; ++round) {
    for (u32 c = 0; c < channels; ++c) draft.add_connection(gpus[(root + n - round) % n], gpus[root], c);
  }
  for (u32 rank : draft.ranks_by_gpu()) {
    const u32 own_round = (root + n - rank) % n;  // 0: the root, which receives in every round
    for (u32 round = own_round == 0 ? 1 : own_round; round < (own_round == 0 ? n : own_round + 1); ++round) {
      for (u32 c = 0; c < channels; ++c) {
        add_lane(draft, gpus[rank], first + (round - 1) * channels + c, own_round != 0, round * channels + c);
      }
    }
  }
}

void add_point_to_point_collective(const JobDraft& draft, CollectiveKind kind, u64 bytes, TimePs start_ps) {
  const u64 ranks = draft.job().ranks.size();
  const u64 per_peer = (bytes + ranks - 1) / ranks;  // nccl-tests: the size covers all ranks' parts
  Collective collective;
  collective.kind = kind;
  collective.bytes = bytes;
  collective.start_ps = start_ps;
  draft.add_collective(collective,
                       cut_point_to_point(channel_bytes(per_peer, draft.options.p2p_channels), draft.options));
}

}  // namespace heddle
