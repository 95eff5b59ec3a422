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

/// A class with data whose full packets have the least payload, for estimates of all classes together; a RoCE class
/// where there is none with data.
inline u32 class_of_smallest_packets(const World& world) {
  const RoceSettings& roce = world.roce;
  const std::vector<u32> tcp = classes_in_use(world, Transport::tcp), others = classes_in_use(world, Transport::roce);
  const bool smaller = others.empty() || world.tcp.segment_bytes < roce.mtu_bytes;
  if (!tcp.empty() && smaller) return tcp.front();
  return others.empty() ? 0 : others.front();
}

/// How packets of that class are made; control packets of class 0 belong to RoCE.
inline Framing smallest_framing(const World& world) { return framing_of(world, class_of_smallest_packets(world)); }

}  // namespace heddle
