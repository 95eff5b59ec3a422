// Which backend a run uses.
#pragma once

#include <string>

#include "kernels/engine.hpp"

namespace heddle {

/// "cpu", "gpu", or "auto": the GPU where this program and this machine have one. Throws ConfigError when "gpu" is
/// asked for and not there.
Device choose_device(const std::string& word);

}  // namespace heddle
