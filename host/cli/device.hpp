// Which backend a run uses.
#pragma once

#include <string>

#include "kernels/engine.hpp"

namespace heddle {

/// "cpu", "gpu", or "auto": the GPU where this program and this machine have one, except with several ranks, whose parts
/// cannot be simulated on one yet. Throws ConfigError when "gpu" is asked for and not there or not possible.
Device choose_device(const std::string& word, u32 ranks);

}  // namespace heddle
