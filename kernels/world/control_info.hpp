// What is said of a congestion control.
#pragma once

#include <span>
#include <string_view>

namespace heddle {

/// A named set of a control's settings.
struct ControlPreset {
  std::string_view name, source;
  bool scales_with_line = false;  // its values depend on the NICs' line rate
};

struct ControlInfo {
  std::string_view name;                   // in a configuration, and of its section
  std::string_view help;                   // one line
  std::string_view source;                 // where it is described
  std::span<const ControlPreset> presets;  // at least one; the first is the default
};

}  // namespace heddle
