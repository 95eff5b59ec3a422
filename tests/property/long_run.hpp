// Any number of worlds in several processes, which can be stopped and resumed at any time.
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
  std::vector<u64> variants;         // variants of each world; empty: two, in turn
  std::filesystem::path state_file;  // written every few seconds and at the end; empty: none
  Examination examination;
  std::function<WorldCase(u64 seed)> world = case_of_seed;
  u64 failures = 0;                                    // the run stops after this many more failures; 0: never
  std::function<bool()> stop;                          // called between worlds; work in progress is dropped
  std::function<void(const RunState&)> on_progress;    // called a few times a second
  std::function<void(const std::string&)> on_failure;  // called with the report of a world
};

/// Runs the worlds that `state` has left, and updates it. Returns true when all are done, false when stopped. A world
/// that crashes or hangs its process (limit_time) counts as a failure. Call it while no other thread runs.
bool run_worlds(const LongRun& run, RunState& state);

}  // namespace heddle::property
