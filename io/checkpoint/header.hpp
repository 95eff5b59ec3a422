// What a checkpoint says of itself.
#pragma once

#include <string_view>

#include "io/run_identity.hpp"

namespace heddle {

inline constexpr std::string_view kCheckpointFormat = "heddle-checkpoint";
/// Raised when a reader of the version before would misread the file.
inline constexpr u32 kCheckpointFormatVersion = 1;

struct CheckpointHeader {
  RunIdentity run;
  TimePs time_ps = 0;  // simulated time of the state
};

}  // namespace heddle
