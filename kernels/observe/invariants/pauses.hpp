// Invariants of flow control: PAUSE and RESUME alternate on every (link, class).
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Follows the pause changes of every (link, lossless class) from the receiver that decides them to the sender that
/// obeys. Change 0 is a PAUSE, change 1 a RESUME, and so on.
class PauseLedger {
 public:
  explicit PauseLedger(const Model& model);
  /// The first (link, class) on which two PAUSEs or two RESUMEs follow each other, take effect out of order or sooner
  /// than they can, or whose two ends disagree; or a number of changes that is not that of the events.
  std::string check(const Reading& r);

 private:
  std::string check_changes(const Reading& r, u32 own, u32 p);

  std::vector<u32> decided_;  // [links * pfc_classes] changes before this tick, by the port that decides
  u64 events_ = 0;
};

}  // namespace heddle
