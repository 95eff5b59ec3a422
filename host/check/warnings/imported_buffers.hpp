// Default packet memories of imported switches: files of other simulators describe graphs, not memories.
#pragma once

#include <string>

#include "host/config/config.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// The default memory of the switches of an imported fabric, and what sets it; empty where the configuration gives it
/// to all tiers of the fabric, where no class is paused, and for a fabric that is not imported.
std::string about_imported_buffers(const Config& config, const World& world);

}  // namespace heddle
