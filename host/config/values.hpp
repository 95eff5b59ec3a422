// The configuration as rows, for programs that compute with its values.
#pragma once

#include <vector>

#include "io/results/provenance.hpp"

namespace heddle {

struct Config;

/// Every parameter that resolved_text() shows, in its order; keys as --set has them.
std::vector<ConfigValue> config_values(const Config& config);

}  // namespace heddle
