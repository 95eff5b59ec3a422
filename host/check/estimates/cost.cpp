#include "host/check/estimates/cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "host/check/errors/routes.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/base/units.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

constexpr u64 kPacketBytes = sizeof(Packet) + sizeof(TimePs);
/// Ring entries per packet: sizes are powers of two, and a ring that grows leaves a smaller one for reuse. Measured:
/// 1.6 in configs/meta_24k.toml, in which nearly all packets of 100 us queue.
constexpr double kRingSlack = 1.6;

/// Links from one endpoint to another; explicit paths count like shortest ones.
u32 links_between(const World& world, EndpointId src, EndpointId dst) {
  return std::min(hops_between(world, src, dst), 62u) + 2;
}

/// Departures of data, and of one ACK for so many packets and at the end, for messages of similar sizes, each of at
/// least one packet.
double hops_of(const World& world, u32 traffic_class, u64 bytes, u64 messages, u32 links) {
  if (messages == 0) return 0;
  const double bytes_each = static_cast<double>(bytes) / static_cast<double>(messages);
  const Framing framing = framing_of(world, traffic_class);
  const double packets_each = std::max(1.0, std::ceil(bytes_each / framing.payload_bytes));
  const double acks_each = std::ceil(packets_each / framing.packets_per_ack);
  return static_cast<double>(messages) * (packets_each + acks_each) * links;
}

void add_messages(const World& world, Cost& cost) {
  for (const Message& m : world.traffic.messages) {
    const Qp& qp = world.traffic.qps[m.qp];
    cost.payload_bytes += m.bytes;
    cost.packet_hops += hops_of(world, qp.traffic_class, m.bytes, 1, links_between(world, qp.src, qp.dst));
  }
}

/// Calls f(GPU of one group, GPU of another or the same, number of such pairs over the network) for an all-to-all.
template <class F>
void for_each_pair_of_groups(const World& world, const Job& job, const F& f) {
  std::map<u32, std::vector<EndpointId>> gpus_of;  // [group]
  for (const EndpointId gpu : job.ranks) gpus_of[rack_of(world, gpu)].push_back(gpu);
  for (const auto& [from, sources] : gpus_of) {
    for (const auto& [to, others] : gpus_of) {
      const u64 inside = from == to ? job.all_pairs.gpus_per_server : 0;  // a server is whole within a group
      if (others.size() > inside) f(sources.front(), others.back(), sources.size() * (others.size() - inside));
    }
  }
}

/// The data that one connection carries.
struct Stream {
  u64 bytes = 0, slices = 0;
};

/// The data of a connection in the first `most` collectives of a job.
Stream stream_of(const CollectivePlan& plan, const Job& job, size_t most, u32 group, u32 connection) {
  Stream stream;
  for (size_t i = 0; i < std::min(job.collectives.size(), most); ++i) {
    const Collective& collective = plan.collectives[job.collectives[i]];
    if (collective.group != group) continue;
    const SliceSchedule& schedule = plan.schedules[schedule_of(collective, job.groups[group], connection)];
    stream.bytes += bytes_of(schedule);
    stream.slices += schedule.total;
  }
  return stream;
}

/// The work of the first `most` collectives of each job.
CollectiveWork work_of_collectives(const World& world, size_t most) {
  const CollectivePlan& plan = world.collectives;
  CollectiveWork work;
  for (const Job& job : plan.jobs) {
    const auto add = [&](const Stream& stream, EndpointId src, EndpointId dst, u32 qps, u64 connections) {
      const auto [bytes, slices] = stream;
      const u32 links = links_between(world, src, dst);
      const double ctss = static_cast<double>(slices) / job.slices_per_cts;
      const u64 messages = slices * (job.scaling == QpScaling::split ? qps : 1);
      const double hops =
          hops_of(world, kCollectiveClass, bytes, messages, links) + 2.0 * ctss * links;  // CTSs, their ACKs
      work.slices += static_cast<double>(connections) * static_cast<double>(slices);
      work.payload_bytes += static_cast<double>(connections) * static_cast<double>(bytes);
      work.packet_hops += static_cast<double>(connections) * hops;
    };
    if (job.all_pairs) {
      const Stream stream = stream_of(plan, job, most, 0, job.groups[0].first_connection);
      for_each_pair_of_groups(world, job, [&](EndpointId src, EndpointId dst, u64 pairs) {
        add(stream, src, dst, job.all_pairs.qps, pairs * job.all_pairs.channels);
      });
      continue;
    }
    for (u32 g = 0; g < job.groups.size(); ++g) {
      for_each_alike(plan, job, g, [&](u32 first, u32 count) {
        const Stream stream = stream_of(plan, job, most, g, first);
        for (u32 c = first; c < first + count; ++c) {
          const Connection& connection = plan.connections[c];
          if (!connection.nvlink) add(stream, connection.src, connection.dst, connection.qps, 1);
        }
      });
    }
  }
  return work;
}

void limit_to_horizon(const World& world, Cost& cost) {
  if (world.clocks.horizon_ps >= kNever) return;
  double bytes = 0;
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    bytes += static_cast<double>(world.clocks.horizon_ps) / nic_ps_per_byte(world.fabric, e);
  }
  if (bytes >= static_cast<double>(cost.payload_bytes)) return;
  cost.packet_hops *= bytes / static_cast<double>(cost.payload_bytes);
  cost.payload_bytes = static_cast<u64>(bytes);
}

/// As much of both as fits into `most` bytes together.
TransportBytes limited(TransportBytes bytes, u64 most) {
  const double sum = bytes.roce + bytes.tcp, limit = static_cast<double>(most);
  if (sum <= limit) return bytes;
  return {bytes.roce * (limit / sum), bytes.tcp * (limit / sum)};
}

/// Full packets of data, and of their answers.
double packets_of(const TransportBytes& payload, const Framing& roce, const Framing& tcp) {
  const auto of = [](double bytes, const Framing& f) {
    return bytes / f.payload_bytes * (1 + 1.0 / f.packets_per_ack);
  };
  return of(payload.roce, roce) + of(payload.tcp, tcp);
}

/// Payload that can be in flight at once: at most what slots and windows admit, and at most all payload.
TransportBytes max_payload_under_way(const World& world, const Cost& cost) {
  const std::vector<Qp>& qps = world.traffic.qps;
  const auto window_bytes = [&](u32 c) { return u64{window_of(world, c)} * framing_of(world, c).payload_bytes; };
  std::vector<u64> of_qp(world.traffic.qps.size());
  for (const Message& m : world.traffic.messages) of_qp[m.qp] += m.bytes;
  u64 sum = 0, tcp = 0;
  for (QpId q = 0; q < of_qp.size(); ++q) {
    const u64 bytes = std::min(of_qp[q], window_bytes(qps[q].traffic_class));
    (is_tcp(world, qps[q].traffic_class) ? tcp : sum) += bytes;
  }
  const CollectivePlan& plan = world.collectives;
  for (const Job& job : plan.jobs) {
    u64 most = 0;  // one collective at a time
    for (u32 g = 0; g < job.groups.size(); ++g) {
      u64 connections = 0;  // network connections that may be active at once
      if (job.all_pairs) {
        connections = network_pairs(job) * job.all_pairs.channels;
      } else {
        for_each_connection(job.groups[g], [&](u32 c) { connections += plan.connections[c].nvlink ? 0 : 1; });
      }
      if (job.groups[g].window != 0) connections = std::min(connections, job.ranks.size() * job.groups[g].window);
      for_each_collective(plan, job, g, [&](const Collective& c) {
        u32 largest = 0;
        for (u32 schedule = c.schedule; schedule < c.schedule + c.schedules; ++schedule)
          largest = std::max(largest, largest_slice_bytes(plan.schedules[schedule]));
        most = std::max(most, connections * c.slots * largest);
      });
    }
    sum += most;
  }
  return limited({static_cast<double>(sum), static_cast<double>(tcp)}, cost.payload_bytes);
}

/// The most bytes that switches can hold in their memory and wires in flight; the maximum when a class without pauses
/// and limits may fill queues without end.
u64 max_held_bytes(const World& world) {
  const Fabric& f = world.fabric;
  const std::vector<bool> used = classes_with_data(world);
  u64 lossless = 0;
  for (u32 c = 1; c < used.size(); ++c) {
    if (used[c] && !f.classes[c].pfc) return ~u64{0};
    lossless += f.classes[c].pfc ? 1 : 0;
  }
  u64 bytes = 0;
  for (const Pool& pool : f.pools) bytes += pool.limit_bytes;
  for (const Link& link : f.links) {
    bytes += bytes_in_ps(link.lambda_ps + world.clocks.tick_ps, link.ps_per_byte_q16);
    if (link.ingress == kNone || link.pool != kNone) continue;
    bytes += lossless * (u64{f.ingress[link.ingress].xoff_bytes} + f.ingress[link.ingress].headroom_bytes);
  }
  return bytes;
}

TransportBytes payload_by_transport(const World& world, const CollectiveWork& collectives) {
  TransportBytes payload{collectives.payload_bytes, 0};
  for (const Message& m : world.traffic.messages)
    (is_tcp(world, world.traffic.qps[m.qp].traffic_class) ? payload.tcp : payload.roce) += static_cast<double>(m.bytes);
  return payload;
}

void add_memory(const World& world, const TransportBytes& all_payload, Cost& cost) {
  const Fabric& f = world.fabric;
  cost.memory = memory_need(world, counts_of(world));
  const double packet_bytes = mean_packet(world, all_payload).payload_bytes;
  for (const Link& l : f.links) {
    const double on_wire = static_cast<double>(bytes_in_ps(l.lambda_ps + world.clocks.tick_ps, l.ps_per_byte_q16));
    cost.in_flight_bytes += (static_cast<u64>(on_wire / packet_bytes) + 2) * kPacketBytes;
  }
  const TransportBytes payload = limited(max_payload_under_way(world, cost), max_held_bytes(world));
  const double packets = packets_of(payload, framing_by(world, Transport::roce), framing_by(world, Transport::tcp));
  cost.packet_bytes = static_cast<u64>(packets * kRingSlack * kPacketBytes);
  cost.in_flight_bytes = std::min(cost.in_flight_bytes, cost.packet_bytes);
}

}  // namespace

CollectiveWork collective_work(const World& world) { return work_of_collectives(world, ~size_t{0}); }

CollectiveWork first_collective_work(const World& world) { return work_of_collectives(world, 1); }

TransportBytes payload_by_transport(const World& world) { return payload_by_transport(world, collective_work(world)); }

MeanPacket mean_packet(const World& world, const TransportBytes& payload) {
  const Framing roce = framing_by(world, Transport::roce), tcp = framing_by(world, Transport::tcp);
  const double of_roce = payload.roce / roce.payload_bytes, of_tcp = payload.tcp / tcp.payload_bytes;
  const double share = of_tcp == 0 ? 0 : of_tcp / (of_roce + of_tcp);  // of the packets
  const auto mean = [&](u32 a, u32 b) { return (1 - share) * a + share * b; };
  const double payload_bytes = mean(roce.payload_bytes, tcp.payload_bytes);
  return {payload_bytes, payload_bytes + mean(roce.overhead_wire_bytes, tcp.overhead_wire_bytes)};
}

Cost estimate_cost(const World& world) {
  Cost cost;
  add_messages(world, cost);
  const CollectiveWork collectives = collective_work(world);
  cost.payload_bytes += static_cast<u64>(std::min(collectives.payload_bytes, 1e19));
  cost.packet_hops += collectives.packet_hops;
  limit_to_horizon(world, cost);
  add_memory(world, payload_by_transport(world, collectives), cost);
  return cost;
}

}  // namespace heddle
