// The output of `heddle sweep --run` while it runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "host/cli/child_run.hpp"
#include "host/cli/sweep/folder.hpp"

namespace heddle {

struct ActiveRun {
  const SweepEntry* run;
  ChildRun child;
};

/// Prints a line on standard output for every run that has ended, with the end of its log when it failed. On a terminal
/// a further line, which rewrites itself, shows the active runs and their progress; a batch log has a line per start.
class SweepStatus {
 public:
  /// `keys`: those of the axes; `runs`: the number of runs to do.
  SweepStatus(std::vector<std::string> keys, std::size_t runs);

  void started(const SweepEntry& run);
  void ended(const SweepEntry& run, const ChildEnd& end, const ChildRun& child, bool stopped);
  void not_started(const SweepEntry& run, const std::string& why);
  /// Reports that `runs` runs are not started, as nothing can be written any more.
  void not_tried(std::size_t runs, const std::string& why);
  void stopping(std::size_t running);
  void update(const std::vector<ActiveRun>& active);
  /// Removes the line that rewrites itself.
  void clear();

 private:
  std::string values_of(const SweepEntry& run) const;
  void line(const SweepEntry& run, const std::string& text);

  std::vector<std::string> keys_;
  std::size_t runs_, ended_ = 0;
  bool terminal_, open_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace heddle
