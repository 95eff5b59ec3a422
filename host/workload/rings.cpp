// Ring all-reduce, all-gather and reduce-scatter. Per channel c the ring enters each server at GPU c, goes through it
// by NVLink (c, c+1, ...), and leaves from GPU c-1 for GPU c of the next server: every NIC sends one ring and receives
// one.
#include "host/workload/jobs.hpp"
#include "host/workload/slice_law.hpp"

namespace heddle {
namespace {

/// Ranks of channel `channel` in ring order.
std::vector<u32> ring_order(u32 ranks, u32 gpus_per_server, u32 channel) {
  std::vector<u32> order;
  order.reserve(ranks);
  for (u32 server = 0; server < ranks / gpus_per_server; ++server) {
    for (u32 i = 0; i < gpus_per_server; ++i) {
      order.push_back(server * gpus_per_server + (channel + i) % gpus_per_server);
    }
  }
  return order;
}

}  // namespace

void add_ring_lanes(const JobDraft& draft) {
  const u32 ranks = static_cast<u32>(draft.job().ranks.size()), channels = channels_of(draft.options);
  // [channel * ranks + rank] -> the connection that leaves it; the one that comes is the predecessor's
  std::vector<u32> out(static_cast<u64>(channels) * ranks), in(out.size());
  for (u32 c = 0; c < channels; ++c) {
    const std::vector<u32> order = ring_order(ranks, draft.options.gpus_per_server, c);
    for (u32 i = 0; i < ranks; ++i) {
      const u32 from = order[i], to = order[(i + 1) % ranks];
      const u32 connection = draft.add_connection(draft.job().ranks[from], draft.job().ranks[to], c);
      out[static_cast<u64>(c) * ranks + from] = in[static_cast<u64>(c) * ranks + to] = connection;
    }
  }
  CollectivePlan& plan = draft.world.collectives;
  for (u32 rank : draft.ranks_by_gpu()) {
    for (u32 c = 0; c < channels; ++c) {
      const u64 at = static_cast<u64>(c) * ranks + rank;
      const u32 lane = static_cast<u32>(plan.lanes.size());
      plan.lanes.push_back({draft.job().ranks[rank], in[at], out[at], 0});
      plan.connections[in[at]].recv_lane = lane;
      plan.connections[out[at]].send_lane = lane;
    }
  }
}

void add_ring_collective(const JobDraft& draft, CollectiveKind kind, u64 bytes, TimePs start_ps) {
  const u32 ranks = static_cast<u32>(draft.job().ranks.size());
  const u32 hops = kind == CollectiveKind::all_reduce ? 2 * (ranks - 1) : ranks - 1;
  const RingCut cut = cut_ring(channel_bytes(bytes, channels_of(draft.options)), ranks, hops, draft.options);
  Collective collective;
  collective.kind = kind;
  collective.bytes = bytes;
  collective.start_ps = start_ps;
  collective.phases = hops + 1;
  collective.slices_full = cut.slices_full;
  collective.slices_tail = cut.slices_tail;
  draft.add_collective(collective, cut.law);
}

}  // namespace heddle
