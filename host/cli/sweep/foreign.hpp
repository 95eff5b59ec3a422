// What `heddle sweep --force` may replace: files that a sweep has written, and nothing else.
#pragma once

#include <filesystem>
#include <string>

#include "host/cli/sweep/writer.hpp"

namespace heddle {

/// The first line of a configuration that a sweep has written: "# run 3 of 8 of incast.toml: simulation.seed=4".
std::string first_line_of_run(std::size_t index, std::size_t runs, const std::string& source, const std::string& which);

/// Throws IoError that names the first of the files in `folder` that writing `files` would replace, or remove as left
/// by an earlier sweep, and that no sweep has made. Empty files may go.
void refuse_foreign_files(const std::filesystem::path& folder, const SweepFiles& files);

}  // namespace heddle
