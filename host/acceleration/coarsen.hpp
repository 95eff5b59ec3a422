// The same World with packets that carry several MTUs: the fewer packets, the less there is to simulate.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Packets of `mtus` MTUs each, with the headers of as many. What is said in bytes or time stays: messages, slices,
/// rates, buffers, thresholds, latencies. What is said in packets follows: the window, and after how many packets an
/// ACK comes, so that ACKs take the share of the links that they had. Where memory has to hold what still arrives after
/// a pause, it gets as much more as packets are larger, so that nothing is lost that would not have been. `mtus` is 1
/// or more; frames must fit a packet's descriptor (most_mtus_of_packet).
void coarsen(World& world, u32 mtus);

/// The same of a World that stays as it is.
World coarsened(World world, u32 mtus);

/// The most MTUs that a packet of this transport can carry (kMaxFrameBytes).
u32 most_mtus_of_packet(const RoceSettings& roce);

}  // namespace heddle
