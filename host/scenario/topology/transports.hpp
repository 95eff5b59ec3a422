// The transports of a World's classes, and what follows for their packets.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Whether some class for data, used or not, has this transport. Class 0 carries control packets only.
inline bool has_class_of(const Fabric& fabric, Transport transport) {
  return std::any_of(fabric.classes.begin() + 1, fabric.classes.end(),
                     [&](const TrafficClass& c) { return c.transport == transport; });
}

/// The classes that carry data of a queue pair by this transport.
inline std::vector<u32> classes_in_use(const World& world, Transport transport) {
  const std::vector<bool> used = classes_with_data(world);
  std::vector<u32> classes;
  for (u32 c = 0; c < used.size(); ++c) {
    if (used[c] && world.fabric.classes[c].transport == transport) classes.push_back(c);
  }
  return classes;
}

inline bool carries_data(const World& world, Transport transport) { return !classes_in_use(world, transport).empty(); }

/// Whether there is data, and all of it goes by TCP.
inline bool carries_tcp_only(const World& world) {
  return carries_data(world, Transport::tcp) && !carries_data(world, Transport::roce);
}

/// Maximum number of packets of a queue pair of a class in flight.
inline u32 window_of(const World& world, u32 traffic_class) {
  return is_tcp(world, traffic_class) ? world.tcp.window_segments : window_of(world.roce);
}

/// How packets of that transport are made: class 0 is of RoCE, TCP needs a class of its own.
inline Framing framing_by(const World& world, Transport transport) {
  const auto& classes = world.fabric.classes;
  const auto found = std::ranges::find(classes, transport, &TrafficClass::transport);
  return framing_of(world, found == classes.end() ? 0 : static_cast<u32>(found - classes.begin()));
}

/// How the smallest full packets of data are made, for bounds on the number of packets of all classes together.
inline Framing smallest_framing(const World& world) {
  const bool smaller = carries_tcp_only(world) || world.tcp.segment_bytes < world.roce.mtu_bytes;
  return framing_by(world, smaller && carries_data(world, Transport::tcp) ? Transport::tcp : Transport::roce);
}

}  // namespace heddle
