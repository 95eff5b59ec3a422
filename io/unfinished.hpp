// Files that mean nothing unless the program goes on: a signal that ends it at once takes them along.
#pragma once

#include <string>

namespace heddle {

/// A file of that name, which is there now, is removed if the program is ended by remove_unfinished() during the life
/// of this. The destructor leaves the file alone. At most 4 at a time; what is more is left behind.
class Unfinished {
 public:
  explicit Unfinished(const std::string& path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  int slot_ = -1;
};

/// While one of these lives, files are made or renamed that are not Unfinished yet: when_whole() waits.
class NotWhole {
 public:
  NotWhole() noexcept;
  ~NotWhole();
  NotWhole(const NotWhole&) = delete;
  NotWhole& operator=(const NotWhole&) = delete;
};

/// Calls `end(number)`, which does not return: now, or as the last NotWhole dies. May be called from a signal handler.
void when_whole(void (*end)(int), int number) noexcept;

/// Removes them, if they are still the same files. May be called from a signal handler, after which only _exit() may.
void remove_unfinished() noexcept;

}  // namespace heddle
