// Default packet memories of imported switches: files of other simulators describe graphs, not memories.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

struct Config;

/// Which memory the switches of an imported fabric have by default, and what sets it; empty where the configuration
/// gives it to all tiers that there are, where nothing is paused, and of a fabric that is not imported.
std::string about_imported_buffers(const Config& config, const World& world);

}  // namespace heddle
