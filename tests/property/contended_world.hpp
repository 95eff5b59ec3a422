// Random worlds in which flows contend for links, with PFC: what coarse packets are for.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle::property {

/// A configuration. Runs of it have a few million packet-hops.
std::string contended_world(u64 seed);

}  // namespace heddle::property
