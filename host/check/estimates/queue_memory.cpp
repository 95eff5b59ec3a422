#include "host/check/estimates/queue_memory.hpp"

#include <algorithm>
#include <cmath>

#include "host/check/estimates/buffer_room.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/base/units.hpp"
#include "kernels/instantiate/options.hpp"
#include "kernels/state/ring.hpp"

namespace heddle {
namespace {

/// Packets on a wire, and those taken from it but kept until the ends of the link have exchanged updates.
double on_wire(const World& world, const Link& link, double wire_bytes) {
  const TimePs tick_ps = world.clocks.tick_ps;
  const TimePs ticks = std::min<TimePs>(min_latency_ps(world.fabric, link) / tick_ps, kMaxBatchTicks);
  const TimePs kept_ps = link.lambda_ps + 2 * ticks * tick_ps;
  return static_cast<double>(bytes_in_ps(kept_ps, link.ps_per_byte_q16)) / wire_bytes + 2;
}

constexpr double kEntryBytes = sizeof(Packet) + sizeof(TimePs);
constexpr u32 kSizes = 64;  // powers of two; beyond 2^29 a run ends, but this is only counting

u32 size_log2(double packets) {
  const double entries = std::max(packets, static_cast<double>(1u << kSmallestRingLog2));
  return std::min(static_cast<u32>(std::ceil(std::log2(entries))), kSizes - 1);
}

/// Counts rings by their final size.
class Rings {
 public:
  void add(double packets) { ++count_[size_log2(packets)]; }

  /// A ring that outgrows a size leaves memory of that size, which a ring that later stays at that size may reuse.
  double bytes(bool reused) const {
    double bytes = 0, larger = 0;
    for (u32 size = kSizes; size-- > kSmallestRingLog2;) {
      const double made = reused ? std::max(count_[size], larger) : count_[size] + larger;
      bytes += made * std::exp2(size) * kEntryBytes;
      larger += count_[size];
    }
    return bytes;
  }

 private:
  double count_[kSizes] = {};
};

/// Adds the data of one link; `room_bytes`: room of one queue of its switch.
void add_data(const World& world, const Link& link, const LinkLoad& load, double room_bytes, Rings& likely,
              Rings& most) {
  if (load.max_packets == 0) return;
  const double packet_bytes = load.max_wire_bytes / load.max_packets, wire = on_wire(world, link, packet_bytes);
  const double room = link.src < world.fabric.endpoints ? 0 : room_bytes / (packet_bytes - world.fabric.wire_gap_bytes);
  const double queue = std::min(queue_wire_bytes(link, load) / packet_bytes, room);
  const double busy = std::min(1.0, load.offered_bps / static_cast<double>(bits_per_s_of(link.ps_per_byte_q16)));
  likely.add(std::min(load.max_packets, wire * busy + queue));
  most.add(std::min(load.max_packets, wire + room));
}

/// Adds the answers of one transport on one link: at most `max_answers`, in a queue of at most `limit_bytes` (0: any).
void add_answers(const World& world, const Framing& framing, const Link& link, double max_answers, u64 limit_bytes,
                 Rings& likely, Rings& most) {
  if (max_answers <= 0) return;
  const double bytes = framing.ack_wire_bytes, wire = on_wire(world, link, bytes);
  double room = link.src < world.fabric.endpoints ? 0 : max_answers;
  if (limit_bytes != 0) room = std::min(room, static_cast<double>(limit_bytes) / (bytes - world.fabric.wire_gap_bytes));
  const double data = on_wire(world, link, framing.payload_bytes);  // data on the wire, which causes them
  likely.add(std::min(max_answers, data / framing.packets_per_ack + 2));
  most.add(std::min(max_answers, wire + room));
}

}  // namespace

std::vector<bool> nodes_that_may_pause(const World& world, const LinkLoads& loads) {
  const Fabric& f = world.fabric;
  std::vector<bool> may(f.nodes.size(), true);
  if (!loads.known()) return may;
  constexpr double kLittle = 1.0 / 16;  // share of a switch's memory, far below any threshold of PFC
  const std::vector<double> room = room_of_queues(world);
  std::vector<double> waits(f.nodes.size());
  for (LinkId l = 0; l < loads.of.size(); ++l) waits[f.links[l].src] += queue_wire_bytes(f.links[l], loads.of[l]);
  for (NodeId n = f.endpoints; n < f.nodes.size(); ++n) may[n] = waits[n] > kLittle * room[n];
  return may;
}

double ring_bytes(double packets) {
  Rings one;
  one.add(packets);
  return one.bytes(false);
}

QueueMemory queue_memory(const World& world, const LinkLoads& loads) {
  const std::vector<double> room = room_of_queues(world);
  const Framing roce = framing_by(world, Transport::roce), tcp = framing_by(world, Transport::tcp);
  Rings likely, most;
  for (LinkId l = 0; l < loads.of.size(); ++l) {
    const Link& link = world.fabric.links[l];
    const LinkLoad& load = loads.of[l];
    add_data(world, link, load, room[link.src], likely, most);
    add_answers(world, roce, link, load.max_answers - load.max_tcp_answers, world.fabric.classes[0].limit_bytes, likely,
                most);
    add_answers(world, tcp, link, load.max_tcp_answers, 0, likely, most);  // in the class of the data
  }
  return {static_cast<u64>(std::min(likely.bytes(true), 1e19)), static_cast<u64>(std::min(most.bytes(false), 1e19))};
}

}  // namespace heddle
