// The congestion control of all NICs (MODEL.md, 8.6).
#pragma once

#include <variant>

#include "kernels/world/dcqcn_parameters.hpp"

namespace heddle {

/// Every queue pair sends as fast as its NIC.
struct NoControl {};

/// The controls: one of these a World has, with its settings. Each has its rule in kernels/congestion.
using ControlSettings = std::variant<NoControl, DcqcnSettings>;

/// Receivers answer marks for a control that says how often at most.
template <class Settings>
concept UsesCnps = requires(const Settings& s) {
  s.cnp_gap_ps;
};

/// No cut goes below: at most every line's rate.
template <class Settings>
concept HasMinRate = requires(const Settings& s) {
  s.min_rate_bps;
};

struct Congestion {
  ControlSettings control;
  bool whole_nanoseconds = false;  // waits for the pace are cut as the times of links are (link.whole_nanoseconds)

  bool none() const { return std::holds_alternative<NoControl>(control); }
};

}  // namespace heddle
