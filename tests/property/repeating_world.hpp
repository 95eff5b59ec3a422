// Random worlds of which many repeat themselves: rings, trees and long messages, mostly without contention.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle::property {

/// A configuration. Runs of it have a million packet-hops or so.
std::string repeating_world(u64 seed);

}  // namespace heddle::property
