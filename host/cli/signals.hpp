// Ctrl-C and SIGTERM end a run in order: what was simulated is kept, the file is finished.
#pragma once

#include <csignal>

namespace heddle {

/// Catches SIGINT and SIGTERM while it lives and gives the former handlers back. A second signal ends the program at
/// once. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  bool stop_requested() const;

 private:
  struct sigaction former_int_ = {}, former_term_ = {};
};

}  // namespace heddle
