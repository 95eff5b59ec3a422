// The parameters of congestion control: which one there is, and a section for each. What they are comes from
// controls.hpp.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/congestion/control_info.hpp"

namespace heddle {

/// A control's setting as a configuration writes it.
struct ControlValue {
  const ControlParameter* parameter;
  i64 number = 0;
  bool flag = false;  // where it is one

  i64 value() const { return parameter->is_flag ? i64{flag} : number; }
};

/// The section of a control.
struct ControlOptions {
  const ControlInfo* control;
  std::string preset;    // empty: it has none
  bool enabled = false;  // this control is the one of CongestionOptions
  std::vector<ControlValue> values;

  /// Whether what it starts from depends on the NICs' line rate.
  bool scales_with_line() const;
  /// Makes all values those of the preset, or the defaults where the control has none.
  void start_from_preset(u64 line_bps);
};

/// Of all controls, in the order of the list, each with its first preset for the default line rate.
std::vector<ControlOptions> default_control_options();

/// What a configuration says of congestion control.
struct CongestionOptions {
  std::string control = kNoControl;
  std::vector<ControlOptions> controls = default_control_options();

  /// Makes this control, or "none", the one.
  void choose(const std::string& name);
  /// A setting, value("dcqcn", "rate_ai"). Throws std::out_of_range: there is none of this name.
  i64 value(std::string_view name, std::string_view key) const;
  /// For a World; whole_nanoseconds stays false.
  Congestion congestion() const;
};

/// What text_of(control) says of each, behind `text`, with `separator` between them.
template <class TextOf>
std::string joined_controls(std::string text, std::string_view separator, const TextOf& text_of) {
  for (const ControlInfo& control : congestion_controls()) text.append(separator).append(text_of(control));
  return text;
}

inline const std::string kControlWords = joined_controls(kNoControl, "|", [](const ControlInfo&c) { return c.name; }),
                         kControlHelp = joined_controls(
                             "none: all send as fast as their NICs; Meta runs 400G so", "; ",
                             [](const ControlInfo&c) { return std::string(c.name).append(": ").append(c.help); }),
                         kControlSources = joined_controls("none: Meta SIGCOMM'24", "; ", [](const ControlInfo&c) {
                           return std::string(c.name).append(": ").append(c.source);
                         });

/// In [roce].
inline const std::array kCongestionParameters = {
    Parameter<CongestionOptions>{.key = "congestion_control",
                                 .field = &CongestionOptions::control,
                                 .choices = kControlWords,
                                 .help = kControlHelp,
                                 .source = kControlSources},
};

/// In the section of a control that has presets; choices and source come from it.
inline const std::array kControlPresetParameters = {
    Parameter<ControlOptions>{.key = "preset",
                              .field = &ControlOptions::preset,
                              .help = "where the other parameters start from; each may be set after it",
                              .source = {}},
};

/// In the section of every control.
inline const std::array kControlParameters = {
    Parameter<ControlOptions>{.key = "enabled",
                              .field = &ControlOptions::enabled,
                              .help = "the NICs have this control: another way to name it in roce.congestion_control",
                              .source = "Meta SIGCOMM'24: none at 400G"},
};

}  // namespace heddle
