// What `heddle sweep --run` says while it runs.
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

/// One line for every run that has ended, on standard output, with what its log says when it failed. On a terminal one
/// more line, which rewrites itself, says what runs and how far it is; in a batch log every start is a line instead.
class SweepStatus {
 public:
  /// `keys`: of the axes; `runs`: that are to be done.
  SweepStatus(std::vector<std::string> keys, std::size_t runs);

  void started(const SweepEntry& run);
  void ended(const SweepEntry& run, const ChildEnd& end, const ChildRun& child, bool stopped);
  void not_started(const SweepEntry& run, const std::string& why);
  /// So many are not started: nothing can be written any more.
  void not_tried(std::size_t runs, const std::string& why);
  void stopping(std::size_t running);
  void update(const std::vector<ActiveRun>& active);
  /// Takes the line away that rewrites itself.
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
