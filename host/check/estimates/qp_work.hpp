// The packets that every queue pair of the tables will send, and how many of them at once.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

struct QpWork {
  double packets = 0, wire_bytes = 0;         // data, each packet once
  double answers = 0, answer_wire_bytes = 0;  // ACKs, and the CTSs of slices
  double grants = 0;                          // CTSs: each causes an ACK that travels with the data
  double max_packets = 0;                     // data packets sent and not yet acknowledged, at most
  double bytes_of_packet() const { return packets == 0 ? 0 : wire_bytes / packets; }
};

/// [QP] its work. Packets in flight are bounded by the window, by slots and by what a NIC can send until the horizon.
std::vector<QpWork> work_of_qps(const World& world);

}  // namespace heddle
