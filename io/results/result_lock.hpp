// One run at a time writes a result file.
#pragma once

#include <optional>
#include <string>

#include "io/unfinished.hpp"

namespace heddle {

/// Where the lock of a result file is: `path`.lock.
std::string lock_path_of(const std::string& result_path);

/// Held while a run writes `path`, its .part and its checkpoints. The kernel drops it with the process, however that
/// ends, so a .lock that a killed run has left is nobody's and is taken over; the destructor removes it.
class ResultLock {
 public:
  /// Waits up to two seconds for a holder that is just ending. Throws OutputError: another run holds it (and which), or
  /// the .lock cannot be made.
  explicit ResultLock(const std::string& path);
  ~ResultLock();
  ResultLock(const ResultLock&) = delete;
  ResultLock& operator=(const ResultLock&) = delete;

  /// Replaces what the .lock says below who holds it: how far the run is, for who looks at it (heddle watch). One line.
  void say(const std::string& progress);

  /// A warning for the user where the file system has no locks; else empty.
  const std::string& warning() const { return warning_; }

 private:
  enum class Outcome { held, taken, none };
  Outcome attempt();

  std::string path_;
  int descriptor_ = -1;
  std::string holder_;  // the first line of the .lock
  std::string warning_;
  std::optional<Unfinished> unfinished_;  // a run that is ended while it is set up takes it along
};

}  // namespace heddle
