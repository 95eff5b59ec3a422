// Broadcast and reduce: the ring of each channel, cut open at the root. Each slice is passed on as it comes.
#include <fmt/format.h>

#include <algorithm>

#include "host/error.hpp"
#include "host/workload/collective/algorithms.hpp"

namespace heddle {
namespace {

/// The root's data goes down the ring from it, or all data goes down the ring to it.
void add_chain_lanes(const JobDraft& draft, bool from_root) {
  const u32 ranks = draft.ranks(), channels = channels_of(draft.options), root = draft.options.root;
  if (root >= ranks)
    throw ConfigError(fmt::format("job[{}].root: rank {} of {}; give 0 to {}", draft.index, root, ranks, ranks - 1));
  std::vector<u32> out(static_cast<u64>(channels) * ranks, kNone), in(out.size(), kNone);
  for (u32 c = 0; c < channels; ++c) {
    std::vector<u32> order = ring_order(ranks, draft.options.gpus_per_server, c);
    const auto first = std::find(order.begin(), order.end(), root);
    std::rotate(order.begin(), from_root ? first : first + 1, order.end());
    for (u32 i = 0; i + 1 < ranks; ++i) {
      out[static_cast<u64>(c) * ranks + order[i]] = in[static_cast<u64>(c) * ranks + order[i + 1]] =
          draft.add_connection(order[i], order[i + 1], c);
    }
  }
  for (const u32 rank : draft.ranks_by_gpu()) {
    for (u32 c = 0; c < channels; ++c) {
      const u64 at = static_cast<u64>(c) * ranks + rank;
      draft.add_lane(rank, in[at], out[at], 0);
    }
  }
}

/// The rings without the connection that would close them. It leads from one server to another on the channels where
/// the root is at GPU `place`, counted from the channel's first.
void count_chains(const JobOptions& options, u64 gpus, u32 place, WorkloadCounts& counts) {
  count_rings(options, gpus, true, counts);
  const u32 server = options.gpus_per_server, channels = channels_of(options);
  counts.connections -= channels;
  u64 between = 0;
  for (u32 c = 0; c < channels; ++c) between += (c + place) % server == options.root % server ? 1 : 0;
  if (gpus > server) counts.qps -= between * options.qps_per_connection;
}

}  // namespace

/// The root is the first GPU of its server: nobody sends to it from another one.
void count_broadcast(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  count_chains(options, gpus, 0, counts);
}
/// It is the last: it sends to no other server.
void count_reduce(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  count_chains(options, gpus, options.gpus_per_server - 1, counts);
}

void add_broadcast_lanes(const JobDraft& draft) { add_chain_lanes(draft, true); }
void add_reduce_lanes(const JobDraft& draft) { add_chain_lanes(draft, false); }

Cut cut_chains(const CutInput& in) {
  const u64 slice = in.protocol == Protocol::simple ? step_bytes(in.options) : ~u64{0};
  Cut cut = cut_stream(channel_bytes(in.bytes, channels_of(in.options)), slice, in.protocol);
  cut.slots = step_slots(in.protocol, in.options);
  return cut;
}

}  // namespace heddle
