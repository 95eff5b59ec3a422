// The files that `heddle sweep --force` may replace: only those that a sweep has written.
#pragma once

#include <filesystem>
#include <string>

#include "host/cli/sweep/writer.hpp"

namespace heddle {

/// The first line of a configuration that a sweep has written: "# run 3 of 8 of incast.toml: simulation.seed=4".
std::string first_line_of_run(std::size_t index, std::size_t runs, const std::string& source, const std::string& which);

/// Throws IoError that names the first file in `folder` that writing `files` would replace, or remove as a leftover of
/// an earlier sweep, although no sweep has written it. Empty files may be replaced.
void refuse_foreign_files(const std::filesystem::path& folder, const SweepFiles& files);

}  // namespace heddle
