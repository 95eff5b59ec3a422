// `heddle run` as a process of its own, started from this program file.
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

/// A process that starts when the object is constructed. Its output is appended to a log; it reads nothing; it is in a
/// process group of its own, so that Ctrl-C on the terminal reaches this program alone, which forwards it. When this
/// program is killed, the process gets SIGTERM.
class ChildRun {
 public:
  /// `arguments`: without the name of the program. Throws OutputError: the log or the process cannot be made.
  ChildRun(const std::vector<std::string>& arguments, const std::string& log_path);

  void send(int signal) const;
  /// The end of the process; nothing while it runs.
  std::optional<ChildEnd> poll();
  /// The last output of the process in its log, at most `most` bytes.
  std::string log_tail(std::size_t most) const;

 private:
  std::string log_path_;
  std::int64_t log_begin_ = 0;  // size of the log before this process
  pid_t process_ = -1;
  std::chrono::steady_clock::time_point start_;
};

/// Blocks the signals of ended children while it lives, so that wait() can wait for them.
class ChildSignals {
 public:
  ChildSignals();
  ~ChildSignals();
  ChildSignals(const ChildSignals&) = delete;
  ChildSignals& operator=(const ChildSignals&) = delete;
  /// Returns when a child ends, a signal is caught, or the time is over.
  void wait(std::chrono::milliseconds most) const;

 private:
  sigset_t former_ = {};
};

}  // namespace heddle
