#include "tests/oracle/tables.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/base/hash.hpp"

namespace heddle::oracle {
namespace {

/// Adds the connections of one job, by (sender, round, channel), each with its queue pairs at the end of the World's.
void add_connections(Job& job, World& world) {
  const AllPairs pairs = job.all_pairs;
  const u32 ranks = static_cast<u32>(job.ranks.size());
  ChannelEndGroup& group = job.groups.front();
  group.first_connection = static_cast<u32>(world.collectives.connections.size());
  for (u32 rank = 0; rank < ranks; ++rank) {
    for (u32 round = 1; round < ranks; ++round) {
      u32 peer = (rank + round) % ranks;
      for (u32 channel = 0; channel < pairs.channels; ++channel) {
        Connection c;
        c.src = job.ranks[rank];
        c.dst = job.ranks[peer];
        c.channel = channel;
        c.nvlink = rank / pairs.gpus_per_server == peer / pairs.gpus_per_server;
        if (!c.nvlink) {
          c.first_qp = static_cast<u32>(world.traffic.qps.size());
          c.qps = pairs.qps;
        }
        for (u32 i = 0; i < c.qps; ++i) {
          Qp qp;
          qp.src = c.src;
          qp.dst = c.dst;
          qp.traffic_class = 1;
          qp.connection = static_cast<u32>(world.collectives.connections.size());
          qp.scaling_index = i;
          world.traffic.qps.push_back(qp);
        }
        world.collectives.connections.push_back(c);
      }
    }
  }
  group.connections = static_cast<u32>(world.collectives.connections.size()) - group.first_connection;
}

/// Adds the job's channel ends by (GPU, sends before receives, round, channel).
void add_channel_ends(Job& job, World& world) {
  CollectivePlan& plan = world.collectives;
  const u32 ranks = static_cast<u32>(job.ranks.size()), channels = job.all_pairs.channels;
  std::vector<u32> by_gpu(ranks);
  std::iota(by_gpu.begin(), by_gpu.end(), 0u);
  std::sort(by_gpu.begin(), by_gpu.end(), [&](u32 a, u32 b) { return job.ranks[a] < job.ranks[b]; });
  ChannelEndGroup& group = job.groups.front();
  group.first_channel_end = static_cast<u32>(plan.channel_ends.size());
  for (u32 rank : by_gpu) {
    for (bool sends : {true, false}) {
      for (u32 round = 1; round < ranks; ++round) {
        for (u32 channel = 0; channel < channels; ++channel) {
          u32 sender = sends ? rank : (rank + ranks - round) % ranks;
          u32 connection = group.first_connection + (sender * (ranks - 1) + round - 1) * channels + channel;
          u32 channel_end = static_cast<u32>(plan.channel_ends.size());
          Connection& c = plan.connections[connection];
          (sends ? c.send_channel_end : c.recv_channel_end) = channel_end;
          plan.channel_ends.push_back(
              {job.ranks[rank], sends ? kNone : connection, sends ? connection : kNone, round * channels + channel});
        }
      }
    }
  }
  group.channel_ends = static_cast<u32>(plan.channel_ends.size()) - group.first_channel_end;
}

/// Sorts queue pairs by source, otherwise in their present order, and numbers them at both ends in that order. Queue
/// pairs from `first_new` on get ports.
void order_and_number_qps(std::size_t first_new, World& world) {
  std::vector<Qp>& qps = world.traffic.qps;
  std::vector<u32> order(qps.size()), place(qps.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return qps[a].src < qps[b].src; });
  std::vector<Qp> ordered;
  std::vector<u32> sent(world.fabric.endpoints, 0), received(world.fabric.endpoints, 0);
  for (u32 q : order) {
    place[q] = static_cast<u32>(ordered.size());
    Qp qp = qps[q];
    qp.sender_number = static_cast<u16>(sent[qp.src]++);
    qp.receiver_number = static_cast<u16>(received[qp.dst]++);
    u64 pair = (static_cast<u64>(qp.src) << 32) | qp.dst;
    u64 of_qp = world.traffic.source_port_per_qp ? qp.sender_number : 0;
    if (q >= first_new)
      qp.source_port_entropy = static_cast<u16>(hash32(world.seed, Stream::source_port, pair, of_qp) & 0xfff);
    ordered.push_back(qp);
  }
  qps = ordered;
  for (Message& m : world.traffic.messages) m.qp = place[m.qp];
  for (Connection& c : world.collectives.connections) {
    if (!c.nvlink) c.first_qp = place[c.first_qp];
  }
}

}  // namespace

World with_tables(const World& world) {
  World full = world;
  const std::size_t in_tables = world.traffic.qps.size();
  for (Job& job : full.collectives.jobs) {
    if (!job.all_pairs) continue;
    add_connections(job, full);
    add_channel_ends(job, full);
    job.all_pairs = {};
  }
  if (full.traffic.qps.size() != in_tables) order_and_number_qps(in_tables, full);
  return full;
}

}  // namespace heddle::oracle
