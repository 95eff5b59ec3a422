// How large the result file of a run can become.
#pragma once

#include <string>

#include "host/config/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// "output     up to 3.2 MB ...": what `heddle check` prints. `simulated_ps`: how long the run will be; 0: nobody
/// knows. `may_be_longer`: that is no bound.
std::string output_text(const World& world, const OutputOptions& output, TimePs simulated_ps, bool may_be_longer);

}  // namespace heddle
