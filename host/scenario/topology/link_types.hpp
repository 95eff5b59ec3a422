// A summary of a fabric's links by kind, as `heddle check` prints it.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// All links that are alike: same tiers, speed, latencies, buffers.
struct LinkType {
  LinkId example = kNone;  // the first such link
  u64 links = 0;
  u64 needed_headroom_bytes = 0;  // 0: not lossless
};

/// The types in order of their first links.
std::vector<LinkType> link_types_of(const World& world);

/// "gpu17 -> rtsw1 (port 1)": for messages.
std::string link_name(const Fabric& fabric, LinkId l);

}  // namespace heddle
