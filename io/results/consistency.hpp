// Whether the parts of a result file fit together.
#pragma once

#include <string>
#include <string_view>

#include "io/results/input_file.hpp"

namespace heddle {

/// Throws InputError that names the fault: a status that no run has; a table whose columns differ in length; a code of
/// a node or a collective that the file does not name. Columns of a killed run may be shorter by what was not written
/// yet.
void check_consistent(const InputFile& file, const std::string& path, std::string_view status);

}  // namespace heddle
