// Reports the set-up stages of a run that takes long before it simulates.
#pragma once

#include <thread>

namespace heddle {

/// While it lives, and after a second, prints on standard error which stage is being set up (host/base/stage.hpp): a
/// line for each stage. Short set-ups print nothing.
class SetupWatch {
 public:
  /// `quiet`: prints nothing at all.
  explicit SetupWatch(bool quiet);

 private:
  std::jthread thread_;
};

}  // namespace heddle
