// Words and help of the topologies that are built from options (registry.cpp).
#pragma once

#include <string>

namespace heddle {

/// "star|ai_zone|...": as choices of topology.kind.
std::string built_topologies();

/// Those of them that are made of leaves, spines and cores; and the others.
std::string topologies_of_leaves();
std::string topologies_of_zones();

/// "star: one switch; ai_zone: ...; ".
std::string built_topologies_help();

}  // namespace heddle
