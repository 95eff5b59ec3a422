// The capacity of the packet memories of switches.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Bytes that arrived over the links marked in `passed` and can wait in the switches behind them: the whole of each
/// pool, XOFF + headroom of ports that own their memory, and the bytes on these wires. Infinite when a class with data
/// has neither pauses nor a limit.
double room_behind(const World& world, const std::vector<bool>& passed);

/// [node] bytes that one queue of a switch can hold; 0 for endpoints.
std::vector<double> room_of_queues(const World& world);

}  // namespace heddle
