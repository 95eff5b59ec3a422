// The header of a checkpoint.
#pragma once

#include <string_view>

#include "io/results/run_identity.hpp"

namespace heddle {

inline constexpr std::string_view kCheckpointFormat = "heddle-checkpoint";
/// Raised when a reader of the version before would misread the file.
inline constexpr u32 kCheckpointFormatVersion = 1;

/// How a run has gone up to a checkpoint, over all its process runs. A process run is what one start of the program
/// simulates.
struct RunHistory {
  u64 process_runs = 0;                 // 0: it has not begun
  u64 wall_ns = 0;                      // of the loop, up to the beginning of the last save
  u64 advance_ns = 0, exchange_ns = 0;  // parts of it: in the engine; there, waiting for other ranks
  u64 exchanges = 0, exchanged_bytes = 0;
  bool operator==(const RunHistory&) const = default;
};

struct CheckpointHeader {
  RunIdentity run;
  TimePs time_ps = 0;  // simulated time of the state
  RunHistory history = {};
};

}  // namespace heddle
