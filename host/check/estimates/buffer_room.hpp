// What the memories of switches hold.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Bytes that came by the links marked in `passed` and can wait in the switches behind them: the whole of each pool,
/// XOFF + headroom of ports that own their memory, and what is on these wires. Infinite when a class with data has
/// neither pauses nor a limit.
double room_behind(const World& world, const std::vector<bool>& passed);

/// [node] bytes that one queue of a switch can hold; of endpoints 0.
std::vector<double> room_of_queues(const World& world);

}  // namespace heddle
