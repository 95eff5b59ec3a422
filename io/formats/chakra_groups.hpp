// Which ranks the process groups of a Chakra trace have, and what for.
#pragma once

#include <chakra.pb.h>

#include <map>
#include <string>
#include <vector>

#include "io/formats/trace.hpp"

namespace heddle {

struct ProcessGroup {
  Group group = Group::all;
  std::vector<u32> ranks;
};
using ProcessGroups = std::map<std::string, ProcessGroup>;  // by name

/// ASTRA-sim's file of communicator groups, {"1": [0, 1], "2": [2, 3]}; an empty path: none. `ranks` of the trace.
/// Throws InputError.
ProcessGroups read_groups_file(const std::string& path, u32 ranks);

/// Adds the groups that a metadata node of this file describes, as PyTorch writes them: JSON within a list of texts in
/// its inputs. Other nodes describe none. Throws InputError with file and node.
void add_described_groups(const std::string& path, const chakra::Node& node, u32 ranks, ProcessGroups& groups);

}  // namespace heddle
