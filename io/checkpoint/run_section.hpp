// The section of a checkpoint that says of which run it is and how that has gone, not what its state is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/checkpoint/header.hpp"

namespace heddle {

/// What the seal has no room for: the history, the resolved configuration, and the hashes of input files.
std::vector<u64> run_section(const CheckpointHeader& header);

/// Takes what run_section() gave. Throws InputError, which names the file, when the words are no such section.
void take_run_section(std::span<const u64> words, const std::string& path, CheckpointHeader& header);

/// Reads the section of a checkpoint whose seal is known, and nothing else: the cost does not grow with the state.
/// Throws InputError.
RunInputs read_inputs(const std::string& path);

}  // namespace heddle
