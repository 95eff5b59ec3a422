// Any number of worlds on several processes, to be stopped and resumed at any time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/property/examine.hpp"
#include "tests/property/run_state.hpp"

namespace heddle::property {

struct LongRun {
  u32 jobs = 1;                      // worlds at the same time, each in a process of its own
  std::vector<u64> variants;         // of each world; empty: two, in turn
  std::filesystem::path state_file;  // written every few seconds and at the end; empty: none
  Examination examination;
  std::function<WorldCase(u64 seed)> world = case_of_seed;
  u64 failures = 0;                                    // it stops once so many more worlds have failed; 0: never
  std::function<bool()> stop;                          // asked between worlds; what is in work is left undone
  std::function<void(const RunState&)> on_progress;    // a few times a second
  std::function<void(const std::string&)> on_failure;  // with the report of a world
};

/// Runs what `state` has left, and brings it up to date. True when everything is done, false when stopped. A world that
/// crashes or hangs its process (limit_time) is a failure like another. Call it while no other thread runs.
bool run_worlds(const LongRun& run, RunState& state);

}  // namespace heddle::property
