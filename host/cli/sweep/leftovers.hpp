// Files that an earlier sweep left in the folder that another one is written into (`heddle sweep --force`).
#pragma once

#include <filesystem>
#include <vector>

#include "host/cli/sweep/writer.hpp"

namespace heddle {

/// Files to remove when `files` have been written: configurations NNN.toml that the new sweep does not have, logs of
/// those and of runs with a changed configuration, copies of input files that no configuration names any more. Results,
/// including partial ones and checkpoints, are never removed: throws IoError when there are some of a run that the new
/// sweep does not have or configures differently, as they would be listed under values other than theirs. Also throws
/// IoError when the sweep would replace or remove a file that no sweep has written.
std::vector<std::filesystem::path> leftovers_in(const std::filesystem::path& folder, const SweepFiles& files);

/// Throws IoError when a file cannot be removed.
void remove_leftovers(const std::vector<std::filesystem::path>& leftovers);

}  // namespace heddle
