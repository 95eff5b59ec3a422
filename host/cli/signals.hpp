// Ctrl-C and SIGTERM end a run in order: what was simulated is kept, the file is finished; or, where somebody wants to
// go on, a checkpoint is written. SIGUSR1 asks for one in any case.
#pragma once

#include <csignal>

namespace heddle {

/// Catches SIGINT, SIGTERM and SIGUSR1 while it lives and gives the former handlers back. A second SIGINT or SIGTERM
/// ends the program at once. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  bool interrupted() const;    // SIGINT
  bool terminated() const;     // SIGTERM
  bool asked_to_save() const;  // SIGUSR1

 private:
  struct sigaction former_int_ = {}, former_term_ = {}, former_usr1_ = {};
};

}  // namespace heddle
