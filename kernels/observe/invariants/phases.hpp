// Violations that the passes of the tick have recorded themselves.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// The record of View::broken_phase in words, with node and time; empty when there is none.
std::string check_phases(const Reading& r);

}  // namespace heddle
