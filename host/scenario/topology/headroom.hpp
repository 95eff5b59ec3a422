// The bytes that can still arrive after an ingress has decided to pause (kernels/MODEL.md, 6.5).
#pragma once

#include "host/scenario/topology/buffer_options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Held bytes for which the headroom of every lossless class of `link` must have room so that nothing is ever dropped:
/// bytes(l, lambda(l) + phi(r) + sigma + ser(r, maxWire) + ser(r, 84)) + 2 maxWire, r the reverse link. Where memory is
/// divided into cells, the packet size that fills most memory in that time counts. It holds for dynamic thresholds too,
/// because headroom counts from the occupancy at the PAUSE, not from XOFF.
u64 headroom_bytes(LinkId link, const Fabric& fabric, const Clocks& clocks);

/// Links whose profile has less headroom than headroom_bytes, in link order.
std::vector<LinkId> links_with_unsafe_headroom(const World& world);

/// Throws ConfigError when there is such a link and the options do not allow it; the message names the worst.
void check_headroom(const World& world, const PfcOptions& pfc);

}  // namespace heddle
