// The oracle's congestion controls: a file each, and its lines in controls.cpp.
#pragma once

#include <memory>

#include "kernels/world/world.hpp"

namespace heddle::oracle {

/// Paces one sender, and holds all the state for that.
class Control {
 public:
  virtual ~Control() = default;
  /// A data packet starts at `t`. Returns when the next one may start.
  virtual TimePs start(TimePs t, u32 wire_bytes) = 0;
  /// A CNP arrives at `t`, before the timers due then; the next start was due at `pace`. Returns the new earliest
  /// start.
  virtual TimePs cnp(TimePs t, TimePs pace) = 0;
};

/// For a sender whose NIC has a line of `line_bps`; nullptr: the World has no control.
std::unique_ptr<Control> make_control(const Congestion& congestion, u64 line_bps);

/// Throws std::invalid_argument when no run would end with these settings.
void validate_control(const Congestion& congestion);

/// Least time between two CNPs of a QP; kNever: none are sent.
TimePs cnp_gap_ps(const Congestion& congestion);

}  // namespace heddle::oracle
