// The same World with packets that carry several MTUs: frames larger than in any configuration.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle::property {

/// Makes packets of `mtus` MTUs each, with the headers of as many; frames must fit a packet's descriptor
/// (max_mtus_of_packet). Messages, rates, buffers and thresholds stay as they are; the window, and the number of
/// packets per ACK, follow. Headroom, and the memory with it, grows by the need of larger packets, so that no further
/// packets are lost.
void enlarge(World& world, u32 mtus);

/// The most MTUs that a packet of this transport can carry (kMaxFrameBytes).
u32 max_mtus_of_packet(const World& world);

}  // namespace heddle::property
