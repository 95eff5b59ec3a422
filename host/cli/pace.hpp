// How fast a run goes, from looks at it now and then.
#pragma once

#include <optional>
#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// The speed of this sitting alone: what a run that was resumed had done before was done at another time. Measured from
/// the first look on.
class Pace {
 public:
  /// `horizon_ps` kNever: the end is not known and what is left is not said.
  explicit Pace(TimePs horizon_ps) : horizon_ps_(horizon_ps) {}

  /// One line: simulated time, packet hops a second since the look before, time elapsed and left. `elapsed_s` since the
  /// start of the sitting; hops since the start of the run. "" at the first look: there is nothing to compare with.
  std::string look(double elapsed_s, TimePs now_ps, u64 packet_hops);

 private:
  struct Look {
    double elapsed_s = 0;
    TimePs now_ps = 0;
    u64 packet_hops = 0;
  };
  TimePs horizon_ps_;
  std::optional<Look> first_, last_;
};

/// How far a run is, from the last line of Pace::look in its log: "42 %", or "1.5 ms" of a run without horizon; "" when
/// there is none yet.
std::string progress_in(const std::string& log);

}  // namespace heddle
