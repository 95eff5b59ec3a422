// The configuration as rows, for programs that compute with its values.
#pragma once

#include <vector>

#include "host/config/config.hpp"
#include "io/results/provenance.hpp"

namespace heddle {

/// Every parameter of resolved_text(), in the same order; keys as in --set.
std::vector<ConfigValue> config_values(const Config& config);

}  // namespace heddle
