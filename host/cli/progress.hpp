// Progress of a long run: one line that rewrites itself on a terminal, plain lines now and then in a batch log.
#pragma once

#include <chrono>
#include <string>

#include "host/cli/pace.hpp"
#include "host/completed.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

class Progress {
 public:
  /// `expected_hops` of the whole run (host/check/cost.hpp), as Pace takes it. Prints to standard error.
  Progress(const World& world, double expected_hops, bool quiet);
  /// Prints if it is time to; cheap otherwise. The first call says where this sitting begins.
  void update(TimePs now_ps, u64 packet_hops, const Completed& completed);
  /// Prints a warning on a line of its own, also when quiet; "" is none.
  void warn(const std::string& text);
  /// Clears the terminal's line before other output.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Pace pace_;
  u64 messages_, collectives_;  // of the World
  bool quiet_, terminal_;
  Clock::time_point start_, last_;
  bool begun_ = false;
  bool line_open_ = false;
};

}  // namespace heddle
