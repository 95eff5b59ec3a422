// Files of other simulators that were given in the place of a configuration.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// "a GOAL schedule of LogGOPSim, which a job of a configuration replays: ...": what a text that is no TOML seems to
/// be, and what to do with it. "": nobody knows.
std::string foreign_text(std::string_view text, const std::string& name);

}  // namespace heddle
