// Progress of a long run: one line that rewrites itself on a terminal, plain lines now and then in a batch log.
#pragma once

#include <chrono>
#include <string>

#include "host/cli/pace.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

class Progress {
 public:
  /// `horizon_ps` kNever: the end is not known and no ETA is shown. Prints to standard error.
  Progress(TimePs horizon_ps, bool quiet);
  /// Prints if it is time to; cheap otherwise. The first call says where this sitting begins.
  void update(TimePs now_ps, u64 packet_hops);
  /// Prints a warning on a line of its own, also when quiet; "" is none.
  void warn(const std::string& text);
  /// Clears the terminal's line before other output.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Pace pace_;
  bool quiet_, terminal_;
  Clock::time_point start_, last_;
  bool begun_ = false;
  bool line_open_ = false;
};

}  // namespace heddle
