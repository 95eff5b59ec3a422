// Invariants of flow control: PAUSE and RESUME alternate on every (link, class), and are obeyed.
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
  /// Reports the first (link, class) on which two PAUSEs or two RESUMEs follow each other or take effect out of order
  /// or too early, whose two ends disagree, or that started a packet while paused; or a number of changes other than
  /// that of the events.
  std::string check(const Reading& r);

 private:
  /// The changes of one (link, class) before this tick, counted mod 2^32.
  struct Changes {
    u32 decided = 0, in_effect = 0;
  };
  std::string check_changes(const Reading& r, u32 own, u32 p, const Changes& before, const Changes& now) const;
  std::string check_starts(const Reading& r, u32 own, u32 p, const Changes& before, const Changes& now) const;

  std::vector<Changes> before_;  // [links * pfc_classes] by the port that decides
  u64 events_ = 0;
};

}  // namespace heddle
