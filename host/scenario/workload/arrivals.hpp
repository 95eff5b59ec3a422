// Random instants of a generator's hosts, as HPCC's traffic_gen draws them.
#pragma once

#include "host/scenario/workload/generators.hpp"

namespace heddle {

/// The instants at which host `number` of a generator posts: gaps are exponential, and so long on average that the
/// payload is `load` of what the NIC of `endpoint` can send.
class PoissonArrivals {
 public:
  /// Throws ConfigError: no gap gives that load.
  PoissonArrivals(const GeneratorInput& input, u32 number, EndpointId endpoint);

  /// Moves to the next instant. Returns false when it would be at the end of `duration` or later.
  bool next();
  TimePs at_ps() const { return at_ps_; }
  /// The draw of this arrival.
  u64 draw() const { return draw_number(number_, arrivals_ - 1); }

 private:
  const GeneratorInput& in_;
  const u32 number_;
  const u64 mean_ps_;
  const TimePs end_ps_;
  TimePs at_ps_;
  u64 arrivals_ = 0;
};

}  // namespace heddle
