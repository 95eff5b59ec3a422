// `heddle run` as a process of its own, by this very program.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// How a process ended: with an exit code, or killed by a signal.
struct ChildEnd {
  int exit_code = 0;
  int signal = 0;  // 0: none
  double seconds = 0;
};

/// Started when it is made. Its output is added to a log; it reads nothing; it is in a process group of its own, so
/// that Ctrl-C on the terminal reaches this program alone, which passes on what it means. When this program is killed,
/// it is sent SIGTERM.
class ChildRun {
 public:
  /// `arguments`: without the name of the program. Throws OutputError: the log or the process cannot be made.
  ChildRun(const std::vector<std::string>& arguments, const std::string& log_path);

  void send(int signal) const;
  /// Nothing while it runs.
  std::optional<ChildEnd> poll();
  /// What it has written into its log last, `most` bytes at most.
  std::string log_tail(std::size_t most) const;

 private:
  std::string log_path_;
  std::int64_t log_begin_ = 0;  // what stood in it before
  pid_t process_ = -1;
  std::chrono::steady_clock::time_point start_;
};

/// For as long as it lives, the end of a child is waited for with wait_for_child.
class ChildSignals {
 public:
  ChildSignals();
  ~ChildSignals();
  ChildSignals(const ChildSignals&) = delete;
  ChildSignals& operator=(const ChildSignals&) = delete;
  /// Until a child ends, a signal comes that is caught, or the time is over.
  void wait(std::chrono::milliseconds most) const;

 private:
  sigset_t former_ = {};
};

}  // namespace heddle
