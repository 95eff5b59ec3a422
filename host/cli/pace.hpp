// The pace of a run, from samples taken now and then.
#pragma once

#include <optional>
#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// "55 M packet-hops"
std::string hops_text(double packet_hops);

/// The speed of this process run alone, not of earlier process runs of a resumed run. Measured from the first sample
/// on.
class Pace {
 public:
  /// The end of the run, whichever comes first: `horizon_ps` (kNever: none), or the work, about `expected_hops`, which
  /// ignore contention and retransmissions (0: unknown).
  Pace(TimePs horizon_ps, double expected_hops) : horizon_ps_(horizon_ps), expected_hops_(expected_hops) {}

  /// One line: the share of the run that is done, what is `completed` ("3 of 5 collectives"), time left; simulated
  /// time, packet hops per second since the last call, time elapsed. `elapsed_s` since the start of the process run;
  /// hops since the start of the run. "" at the first call, which has nothing to compare with.
  std::string look(double elapsed_s, TimePs now_ps, u64 packet_hops, const std::string& completed = "");

 private:
  struct Look {
    double elapsed_s = 0;
    TimePs now_ps = 0;
    u64 packet_hops = 0;
  };
  std::string done(const Look& now, const std::string& completed) const;

  TimePs horizon_ps_;
  double expected_hops_;
  std::optional<Look> first_, last_;
};

/// The progress of a run, from the last line of Pace::look in its log: "42 %", or "1.5 ms" of a run without horizon; ""
/// when there is none yet.
std::string progress_in(const std::string& log);

}  // namespace heddle
