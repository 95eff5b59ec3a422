// While a run is set up, Ctrl-C and SIGTERM end it at once. Then they end it in order: what was simulated is kept, the
// file is finished; or, where somebody wants to go on, a checkpoint is written. SIGUSR1 asks for one in any case.
// SIGHUP (the terminal is gone) does what SIGTERM does, unless it is ignored (nohup).
#pragma once

#include <csignal>

namespace heddle {

/// What SIGINT and SIGTERM do at first.
enum class AtFirst {
  flag,    // what goes on looks whether they came
  end_now  // until set_up_is_over()
};

/// Catches SIGINT, SIGTERM, SIGHUP and SIGUSR1 while it lives and gives the former handlers back. Where they end the
/// program now, its exit code is 128 + their number, as the shell says it of a program that they kill, and files that
/// are Unfinished go with it; otherwise a second SIGINT or SIGTERM does. One at a time.
class StopSignals {
 public:
  explicit StopSignals(AtFirst at_first = AtFirst::flag);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// A file has been begun: from now on the run ends in order.
  void set_up_is_over() const;
  bool interrupted() const;    // SIGINT
  bool terminated() const;     // SIGTERM, SIGHUP
  bool asked_to_save() const;  // SIGUSR1

 private:
  struct sigaction former_int_ = {}, former_term_ = {}, former_usr1_ = {}, former_hup_ = {};
};

}  // namespace heddle
