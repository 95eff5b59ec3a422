// The oracle's congestion controls: a file each, and a line in controls.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernels/world/world.hpp"

namespace heddle::oracle {

/// What paces one sender, with all that it remembers.
class Control {
 public:
  virtual ~Control() = default;
  /// A packet of data starts at `t`. Returns when the next one may.
  virtual TimePs start(TimePs t, u32 wire_bytes) = 0;
  /// A CNP comes at `t`, before the timers due then; the next start was to be at `pace` or later. Returns what that is
  /// now.
  virtual TimePs cnp(TimePs t, TimePs pace) = 0;
};

struct KnownControl {
  /// For a sender whose NIC has a line of `line_bps`.
  std::unique_ptr<Control> (*make)(const Congestion& congestion, u64 line_bps);
  bool uses_cnps = false;  // at most every "NAME.cnp_gap" of a QP
  /// Throws std::invalid_argument: with these settings no run would come to its end.
  void (*validate)(const Congestion& congestion) = nullptr;
};

KnownControl dcqcn_control();

/// nullptr: the oracle does not know it.
const KnownControl* find_control(std::string_view name);

/// nullptr: a World without any. Throws std::invalid_argument when the oracle does not know it.
const KnownControl* known_control(const Congestion& congestion);

/// Least time between two CNPs of a QP; kNever: none are sent.
TimePs cnp_gap_ps(const Congestion& congestion);

}  // namespace heddle::oracle
