// Execution traces of MLCommons Chakra, as ASTRA-sim reads them: a file of nodes for every rank.
#pragma once

#include <string>
#include <vector>

#include "io/formats/trace.hpp"

namespace heddle {

/// PREFIX.0.et, PREFIX.1.et, ... as far as there are some, one after the other.
std::vector<std::string> chakra_files(const std::string& prefix);

/// How fast a GPU computes, for nodes that say how many operations they have and not how long they take.
struct ChakraGpu {
  double peak_tflops = 0;      // 0: such nodes are refused
  u64 memory_bytes_per_s = 0;  // 0: memory limits nothing
};

/// Reads the traces of as many ranks as there are files; operations come in the order of schedule.hpp. A send is done
/// when its data is there, whether or not its recv waits for it, as in ASTRA-sim. Processor 0 is
/// the GPU, 1 the CPU, 2 takes no time. `groups_file`, where it is given, names process groups as ASTRA-sim's
/// communicator groups: a JSON object {"name": [ranks]}. Throws InputError with file and byte, or file and node: what
/// is malformed, not supported, waits for what is not there or for itself, or has no counterpart.
Trace read_chakra(const std::string& prefix, const std::string& groups_file, const ChakraGpu& gpu = {});

}  // namespace heddle
