// What can be said of the congestion controls without knowing the engine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// One setting of a control, a whole number or a flag: key `key` of the section [CONTROL].
struct ControlParameter {
  std::string_view key;
  Quantity quantity = Quantity::none;
  bool is_flag = false;
  i64 value = 0;  // default
  double min = 0, max = 9.2e18;
  std::string_view help, source;
};

/// A named set of a control's settings.
struct ControlPreset {
  std::string_view name, source;
  bool scales_with_line = false;  // its values depend on the NICs' line rate
};

/// What is said of a control.
struct ControlInfo {
  std::string_view name;                        // in a configuration, of its section, and of the oracle's file
  std::string_view help;                        // one line
  std::string_view source;                      // where it is described
  std::span<const ControlPreset> presets = {};  // the first is the default
  std::string_view least_rate = {};             // key of the rate that no cut goes below: at most every line's
  bool uses_cnps = false;                       // receivers answer marks, at most every Settings::cnp_gap_ps
  bool idle_until_cnp = false;                  // until its first CNP a sender goes at line rate and has no state
  // Filled in by the list, from the control's own types.
  std::span<const ControlParameter> parameters = {};
  std::string_view preset_words = {}, preset_sources = {};  // "connectx|hpcc", "connectx: NVIDIA DOCA; ..."
  u32 state_bytes = 0;                                      // of a sender
  std::vector<i64> (*preset)(std::string_view preset, u64 line_bps) = nullptr;  // values, by parameter

  /// Place of a parameter in the list. Throws std::out_of_range: there is none of this key.
  u32 parameter_number(std::string_view key) const;
};

/// All of them, by their numbers. "none" is not among them.
std::span<const ControlInfo> congestion_controls();

/// nullptr: there is none of this name.
const ControlInfo* find_congestion_control(std::string_view name);

/// That a World has. Throws std::invalid_argument when there is none of its name; nullptr: "none".
const ControlInfo* control_of(const Congestion& congestion);

/// A control with the defaults of all its settings. Throws std::invalid_argument when there is none of this name.
Congestion congestion_with(std::string_view name);

/// "dcqcn.rate_ai", as Congestion::parameters names it.
std::string parameter_name(const ControlInfo& control, std::string_view key);

}  // namespace heddle
