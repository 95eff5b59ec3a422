// Progress of a long run: one line that rewrites itself on a terminal, plain lines now and then in a batch log, and the
// same line in the result's .lock for other processes.
#pragma once

#include <chrono>
#include <string>

#include "host/cli/pace.hpp"
#include "host/run/completed.hpp"
#include "io/results/result_lock.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

class Progress {
 public:
  /// `expected_hops` of the whole run (host/check/estimates/cost.hpp), as Pace takes it. Prints to standard error
  /// unless `quiet`. `lock`: that of the rank that writes; null: no progress is written there.
  Progress(const World& world, double expected_hops, bool quiet, ResultLock* lock);
  /// Prints the progress when it is due; cheap otherwise. The first call marks the start of this process run.
  void update(TimePs now_ps, u64 packet_hops, const Completed& completed);
  /// Prints a warning on a line of its own, also when quiet; "" is none.
  void warn(const std::string& text);
  /// Clears the terminal's line before other output.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  /// A destination of progress lines, with its own pace: the speed is that since the last line printed there.
  struct Place {
    Pace pace;
    double interval_s;
    Clock::time_point last;
    bool begun = false;

    bool is_due(Clock::time_point now) const;
  };
  std::string look(Place& place, Clock::time_point now, TimePs now_ps, u64 packet_hops,
                   const std::string& counts) const;
  std::string counts_of(const Completed& completed) const;
  void print(const std::string& line);

  ResultLock* lock_;
  Clock::time_point start_;
  u64 messages_, collectives_;  // totals of the World
  bool quiet_, terminal_;
  Place printed_, locked_;
  bool line_open_ = false;
};

}  // namespace heddle
