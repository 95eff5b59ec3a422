// During set-up Ctrl-C and SIGTERM end a run at once. After it they end it in order: the results so far are kept and
// the file is finished; or, where the run is to be resumed, a checkpoint is written. SIGUSR1 requests one in any case.
// SIGHUP (the terminal is gone) has the effect of SIGTERM, unless it is ignored (nohup).
#pragma once

#include <csignal>

namespace heddle {

/// The effect of SIGINT and SIGTERM at first.
enum class AtFirst {
  flag,    // set flags that the program checks
  end_now  // end the program, until set_up_is_over()
};

/// Catches SIGINT, SIGTERM, SIGHUP and SIGUSR1 while it lives and restores the former handlers afterwards. With end_now
/// the program's exit code is 128 + the signal's number, as the shell reports it, and files that are Unfinished are
/// removed; otherwise a second SIGINT or SIGTERM ends the program. Only one object at a time.
class StopSignals {
 public:
  explicit StopSignals(AtFirst at_first = AtFirst::flag);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// To be called when a file has been created: from now on the run ends in order.
  void set_up_is_over() const;
  bool interrupted() const;    // SIGINT
  bool terminated() const;     // SIGTERM, SIGHUP
  bool asked_to_save() const;  // SIGUSR1

 private:
  struct sigaction former_int_ = {}, former_term_ = {}, former_usr1_ = {}, former_hup_ = {};
};

}  // namespace heddle
