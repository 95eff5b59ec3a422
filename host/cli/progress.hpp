// Progress of a long run: one line that rewrites itself on a terminal, plain lines now and then in a batch log, and the
// same line in the result's .lock, for who looks at it from elsewhere.
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
  /// unless `quiet`. `lock`: of the rank that writes; null: nothing is said there.
  Progress(const World& world, double expected_hops, bool quiet, ResultLock* lock);
  /// Says how far the run is where it is time to; cheap otherwise. The first call says where this process run begins.
  void update(TimePs now_ps, u64 packet_hops, const Completed& completed);
  /// Prints a warning on a line of its own, also when quiet; "" is none.
  void warn(const std::string& text);
  /// Clears the terminal's line before other output.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  /// One place where it is said: what it has said last decides over which time the next line takes the speed.
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
  u64 messages_, collectives_;  // of the World
  bool quiet_, terminal_;
  Place printed_, locked_;
  bool line_open_ = false;
};

}  // namespace heddle
