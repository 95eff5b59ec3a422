// What a program that takes its time before it simulates is doing.
#pragma once

#include <thread>

namespace heddle {

/// As long as it lives, and from a second on, says on standard error what is set up (host/base/stage.hpp): a line for
/// each stage. Short set-ups say nothing.
class SetupWatch {
 public:
  /// `quiet`: it says nothing at all.
  explicit SetupWatch(bool quiet);

 private:
  std::jthread thread_;
};

}  // namespace heddle
