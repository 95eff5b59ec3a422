// Files of other simulators given instead of a configuration.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// "a GOAL schedule of LogGOPSim, which a job of a configuration replays: ...": the probable format of a text that is
/// not TOML, and how to use it. "": unknown.
std::string foreign_text(std::string_view text, const std::string& name);

}  // namespace heddle
