// Small random worlds for tests, as configurations: one seed, one world.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle::property {

/// The TOML of a world of 2 to 40 endpoints and, mostly, up to 20,000 packet hops. It always builds.
std::string random_world(u64 seed);

}  // namespace heddle::property
