// Reads /parameter back.
#pragma once

#include <string>
#include <vector>

#include "io/results/provenance.hpp"

namespace heddle {

/// Returns the configuration of a result file, value by value; empty when the file has no /parameter. Throws
/// InputError.
std::vector<ConfigValue> read_parameters(const std::string& path);

}  // namespace heddle
