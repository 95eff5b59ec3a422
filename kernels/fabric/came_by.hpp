// How a packet came to the switch where it waits: by which port, and in which class (MODEL.md, 7.11).
#pragma once

#include "kernels/state/packet.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

struct CameBy {
  u32 port, traffic_class;
};

/// Where packets take detours, the upper bit of the ingress port says that the packet turned here.
inline constexpr u32 kTurnedHere = kMaxDetourPorts;

/// Notes how a packet came, before it is put into a queue of `egress_class`, in worlds with detours.
HEDDLE_FN void note_turn(Packet& packet, u32 port, u32 egress_class) {
  const bool turns = egress_class != packet.traffic_class();
  packet.set_ingress_port(port | (turns ? kTurnedHere : 0));
  if (turns) packet.set_traffic_class(egress_class);
}

HEDDLE_FN CameBy came_by(const Settings& s, const Packet& packet) {
  const u32 port = packet.ingress_port();
  if (s.detour_class == 0 || (port & kTurnedHere) == 0) return {port, packet.traffic_class()};
  return {port & (kTurnedHere - 1), kDetouredClass};
}
template <class Team>
HEDDLE_FN CameBy came_by_in(const Settings& s, const Packet& packet) {
  if constexpr (Team::kPlain) return {packet.ingress_port(), packet.traffic_class()};
  return came_by(s, packet);
}

}  // namespace heddle
