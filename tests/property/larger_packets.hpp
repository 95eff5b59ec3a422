// The same World with packets that carry several MTUs: frames larger than any configuration has.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle::property {

/// Packets of `mtus` MTUs each, with the headers of as many; frames must fit a packet's descriptor
/// (max_mtus_of_packet). Messages, rates, buffers and thresholds stay as they are; the window, and after how many
/// packets an ACK comes, follow. Headroom, and the memory with it, grows by what larger packets need, so that nothing
/// is lost that would not have been.
void enlarge(World& world, u32 mtus);

/// The most MTUs that a packet of this transport can carry (kMaxFrameBytes).
u32 max_mtus_of_packet(const RoceSettings& roce);

}  // namespace heddle::property
