// Execution traces of MLCommons Chakra, as ASTRA-sim reads them: a file of nodes for every rank.
#pragma once

#include <string>
#include <vector>

#include "io/foreign/trace.hpp"

namespace heddle {

/// PREFIX.0.et, PREFIX.1.et, ... as far as there are some, one after the other.
std::vector<std::string> chakra_files(const std::string& prefix);

/// Reads the traces of as many ranks as there are files; operations come in the order of schedule.hpp. Processor 0 is
/// the GPU, 1 the CPU, 2 takes no time. `groups_file`, where it is given, names process groups as ASTRA-sim's
/// communicator groups: a JSON object {"name": [ranks]}. Throws InputError with file and byte, or file and node: what
/// is malformed, not supported, waits for what is not there or for itself, or has no counterpart.
Trace read_chakra(const std::string& prefix, const std::string& groups_file);

}  // namespace heddle
