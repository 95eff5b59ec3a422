// The largest possible size of a run's result file.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

struct OutputOptions;

/// "output     up to 3.2 MB ...": what `heddle check` prints. `simulated_ps`: how long the run will be; 0: nobody
/// knows. `may_be_longer`: that is no bound.
std::string output_text(const World& world, const OutputOptions& output, TimePs simulated_ps, bool may_be_longer);

}  // namespace heddle
