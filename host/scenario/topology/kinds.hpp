// What the table of topologies (registry.cpp) says to the configuration.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The kinds that are built from options, or those that are read from topology.file, as choices: "star|ai_zone".
std::string topology_kinds(bool imported);

/// "star: one switch; ai_zone: ...".
std::string topology_help();

/// Whether topology.file is read for this kind.
bool is_imported(std::string_view kind);

}  // namespace heddle
