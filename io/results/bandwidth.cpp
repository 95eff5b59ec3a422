#include "io/results/bandwidth.hpp"

#include "io/results/layout.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {

double bus_factor(CollectiveKind kind, u32 ranks) {
  const double n = ranks;
  if (ranks == 0) return 0;
  switch (kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::send:
    case CollectiveKind::send_recv:
    case CollectiveKind::all_to_all_v:
    case CollectiveKind::dispatch:
    case CollectiveKind::combine:
      return 1;
    case CollectiveKind::barrier:
      return 0;
    case CollectiveKind::all_reduce:
      return 2 * (n - 1) / n;
    default:
      return (n - 1) / n;
  }
}

CollectiveTiming collective_timing(const World& world, const Outcome& outcome, u32 collective) {
  const Collective& c = world.collectives.collectives[collective];
  const CollectiveOutcome& o = outcome.collectives[collective];
  const auto ranks = static_cast<u32>(world.collectives.jobs[c.job].ranks.size());
  CollectiveTiming timing{o.first_enter_ps, -1};
  if (o.ranks_finished != ranks || o.last_finish_ps < 0 || o.first_enter_ps < 0) return timing;
  timing.finish_ps = o.last_finish_ps;
  const auto time_ps = static_cast<double>(timing.finish_ps - timing.start_ps);
  timing.time_us = time_ps / 1e6;
  if (time_ps > 0) timing.algbw_GBps = static_cast<double>(c.bytes) / time_ps * 1e3;  // B/ps = 1000 GB/s
  timing.busbw_GBps = timing.algbw_GBps * bus_factor(c.kind, ranks);
  const auto transfer_ps = static_cast<double>(timing.finish_ps - o.last_enter_ps);
  if (transfer_ps > 0)
    timing.transfer_busbw_GBps = static_cast<double>(c.bytes) / transfer_ps * 1e3 * bus_factor(c.kind, ranks);
  return timing;
}

std::string_view collective_name(CollectiveKind kind) {
  return layout::word(layout::kCollectiveKinds, static_cast<u32>(kind));
}

std::string_view algorithm_name(Algorithm algorithm) {
  return layout::word(layout::kAlgorithms, static_cast<u32>(algorithm));
}

std::string_view protocol_name(Protocol protocol) {
  return layout::word(layout::kProtocols, static_cast<u32>(protocol));
}

}  // namespace heddle
