// The choice of a run's backend.
#pragma once

#include <string>

#include "kernels/engine/engine.hpp"

namespace heddle {

/// "cpu", "gpu", or "auto": the GPU where this program and this machine have one, unless CPU threads are asked for.
/// Throws ConfigError when "gpu" is asked for and not there, or together with CPU threads.
Device choose_device(const std::string& word, bool threads_given);

}  // namespace heddle
