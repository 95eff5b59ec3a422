#include "host/check/queue_memory.hpp"

#include <algorithm>
#include <cmath>

#include "host/check/buffer_room.hpp"
#include "kernels/base/units.hpp"
#include "kernels/state/ring.hpp"

namespace heddle {
namespace {

/// Packets on a wire, and those that were taken from it but are still kept: a tick on either side.
double on_wire(const World& world, const Link& link, double wire_bytes) {
  const TimePs kept_ps = link.lambda_ps + 2 * world.clocks.tick_ps;
  return static_cast<double>(bytes_in_ps(kept_ps, link.ps_per_byte_q16)) / wire_bytes + 2;
}

/// Of the data of one link; `room_bytes`: of its switch.
void add_data(const World& world, const Link& link, const LinkLoad& load, double room_bytes, double& likely,
              double& most) {
  if (load.most_packets == 0) return;
  const double packet_bytes = load.most_wire_bytes / load.most_packets, wire = on_wire(world, link, packet_bytes);
  const double room = link.src < world.fabric.endpoints ? 0 : room_bytes / (packet_bytes - kWireGapBytes);
  const double queue = std::min(queue_wire_bytes(link, load) / packet_bytes, room);
  likely += ring_bytes(std::min(load.most_packets, wire + queue));
  most += ring_bytes(std::min(load.most_packets, wire + room));
}

void add_answers(const World& world, const Link& link, const LinkLoad& load, double& likely, double& most) {
  if (load.most_answers == 0) return;
  const double bytes = world.roce.ack_wire_bytes, wire = on_wire(world, link, bytes);
  const u64 limit = world.fabric.classes[0].limit_bytes;
  double room = link.src < world.fabric.endpoints ? 0 : load.most_answers;
  if (limit != 0) room = std::min(room, static_cast<double>(limit) / (bytes - kWireGapBytes));
  likely += ring_bytes(std::min(load.most_answers, wire / world.roce.ack_every + 2));
  most += ring_bytes(std::min(load.most_answers, wire + room));
}

}  // namespace

double ring_bytes(double packets) {
  constexpr double kEntryBytes = sizeof(Packet) + sizeof(TimePs);
  const double entries = std::max(packets, static_cast<double>(1u << kSmallestRingLog2));
  return 2 * std::exp2(std::ceil(std::log2(entries))) * kEntryBytes;
}

QueueMemory queue_memory(const World& world, const LinkLoads& loads) {
  const std::vector<double> room = room_of_queues(world);
  double likely = 0, most = 0;
  for (LinkId l = 0; l < loads.of.size(); ++l) {
    const Link& link = world.fabric.links[l];
    add_data(world, link, loads.of[l], room[link.src], likely, most);
    add_answers(world, link, loads.of[l], likely, most);
  }
  return {static_cast<u64>(std::min(likely, 1e19)), static_cast<u64>(std::min(most, 1e19))};
}

}  // namespace heddle
