// The configuration as rows, for whoever computes with its values.
#pragma once

#include <vector>

#include "host/config/config.hpp"
#include "io/results/provenance.hpp"

namespace heddle {

/// Every parameter that resolved_text() shows, in its order; keys as --set has them.
std::vector<ConfigValue> config_values(const Config& config);

}  // namespace heddle
