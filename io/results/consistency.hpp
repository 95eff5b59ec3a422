// Whether the parts of a result file fit together.
#pragma once

#include <string>
#include <string_view>

#include "io/results/input_file.hpp"

namespace heddle {

/// Throws InputError, saying which: a status that no run has; a table whose columns are of different lengths; a code of
/// a node or a collective that the file does not name. What a killed run has not written yet is allowed to be short.
void check_consistent(const InputFile& file, const std::string& path, std::string_view status);

}  // namespace heddle
