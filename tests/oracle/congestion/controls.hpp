// The oracle's congestion controls: a file each, and a line in controls.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

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

struct KnownControl {
  /// Makes the control of a sender whose NIC has a line of `line_bps`.
  std::unique_ptr<Control> (*make)(const Congestion& congestion, u64 line_bps);
  bool uses_cnps = false;  // at most one every "NAME.cnp_gap" per QP
  /// Throws std::invalid_argument when no run would end with these settings.
  void (*validate)(const Congestion& congestion) = nullptr;
};

KnownControl dcqcn_control();

/// Returns nullptr for a control that the oracle does not implement.
const KnownControl* find_control(std::string_view name);

/// Returns nullptr for a World without congestion control. Throws std::invalid_argument for an unknown one.
const KnownControl* known_control(const Congestion& congestion);

/// Least time between two CNPs of a QP; kNever: none are sent.
TimePs cnp_gap_ps(const Congestion& congestion);

}  // namespace heddle::oracle
