// One run at a time writes a result file.
#pragma once

#include <optional>
#include <string>

#include "io/unfinished.hpp"

namespace heddle {

/// Returns the path of a result file's lock: `path`.lock.
std::string lock_path_of(const std::string& result_path);

/// Held while a run writes `path`, its .part and its checkpoints. The kernel drops the lock with the process, however
/// the process ends, so a .lock that a killed run has left is free and is taken over; the destructor removes it.
class ResultLock {
 public:
  /// Waits up to two seconds for a holder that is ending. Throws OutputError when another run holds the lock (and names
  /// it), or the .lock cannot be made.
  explicit ResultLock(const std::string& path);
  ~ResultLock();
  ResultLock(const ResultLock&) = delete;
  ResultLock& operator=(const ResultLock&) = delete;

  /// Replaces the .lock's text below the holder's line: the progress of the run, which `heddle watch` shows. One line.
  void say(const std::string& progress);

  /// A warning for the user where the file system has no locks; empty otherwise.
  const std::string& warning() const { return warning_; }

 private:
  enum class Outcome { held, taken, none };
  Outcome attempt();

  std::string path_;
  int descriptor_ = -1;
  std::string holder_;  // the first line of the .lock
  std::string warning_;
  std::optional<Unfinished> unfinished_;  // removes the lock of a run that is ended while it is set up
};

}  // namespace heddle
