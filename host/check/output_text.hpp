// The largest possible size of a run's result file.
#pragma once

#include <string>

#include "host/config/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// "output     up to 3.2 MB ...": the text that `heddle check` prints. `simulated_ps`: expected simulated time; 0:
/// unknown. `may_be_longer`: that is no upper bound.
std::string output_text(const World& world, const OutputOptions& output, TimePs simulated_ps, bool may_be_longer);

}  // namespace heddle
