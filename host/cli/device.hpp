// Which backend a run uses.
#pragma once

#include <string>

#include "kernels/engine.hpp"

namespace heddle {

/// "cpu", "gpu", or "auto": the GPU where this program and this machine have one, unless CPU threads are asked for or
/// several ranks share the world. Throws ConfigError when "gpu" is asked for and not there, or together with those.
Device choose_device(const std::string& word, bool threads_given, u32 ranks);

}  // namespace heddle
