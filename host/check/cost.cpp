#include "host/check/cost.hpp"

#include <algorithm>
#include <map>

#include "host/check/routes.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

// Sizes per entity of the engine's state, rounded up; packets on the wire are 16 B of descriptor and 8 B of time.
constexpr u64 kLinkClassBytes = 128, kQpBytes = 32 + 24, kDcqcnBytes = 40, kLaneBytes = 64, kPacketBytes = 24;

u64 stream_bytes(const SliceLaw& law) {
  const u64 tail = law.total - law.full;
  u64 bytes = static_cast<u64>(law.full) * law.full_bytes;
  if (law.tail_period == 2) {
    bytes += (tail + 1) / 2 * law.tail_bytes[0] + tail / 2 * law.tail_bytes[1];
  } else {
    bytes += tail * law.tail_bytes[0];
  }
  return bytes;
}

/// Links from one endpoint to another; explicit paths count like shortest ones.
u32 links_between(const World& world, EndpointId src, EndpointId dst) {
  return std::min(hops_between(world, src, dst), 62u) + 2;
}

/// Departures of data, and of ACKs every ack_every packets and at the end.
double hops_of(const RoceSettings& roce, u64 bytes, u64 messages, u32 links) {
  const double packets = std::max(static_cast<double>(bytes) / roce.mtu_bytes, static_cast<double>(messages));
  const double acks = std::max(packets / roce.ack_every, static_cast<double>(messages));
  return (packets + acks) * links;
}

void add_messages(const World& world, Cost& cost) {
  for (const Message& m : world.traffic.messages) {
    const Qp& qp = world.traffic.qps[m.qp];
    cost.payload_bytes += m.bytes;
    cost.packet_hops += hops_of(world.roce, m.bytes, 1, links_between(world, qp.src, qp.dst));
  }
}

/// Calls f(one of a group, one of another or the same, how many such pairs the network joins) for an all-to-all.
template <class F>
void for_each_pair_of_groups(const World& world, const Job& job, const F& f) {
  std::map<u32, std::vector<EndpointId>> gpus_of;  // [group]
  for (const EndpointId gpu : job.ranks) gpus_of[world.routing.group_of[gpu]].push_back(gpu);
  for (const auto& [from, sources] : gpus_of) {
    for (const auto& [to, others] : gpus_of) {
      const u64 inside = from == to ? job.all_pairs.gpus_per_server : 0;  // servers lie whole in a group
      if (others.size() > inside) f(sources.front(), others.back(), sources.size() * (others.size() - inside));
    }
  }
}

void add_collectives(const World& world, Cost& cost) {
  const CollectivePlan& plan = world.collectives;
  for (const Job& job : plan.jobs) {
    u64 bytes = 0, slices = 0;  // of one connection over all collectives of the job
    for (const u32 c : job.collectives) {
      const SliceLaw& law = plan.laws[plan.collectives[c].law];
      bytes += stream_bytes(law);
      slices += law.total;
    }
    const auto add = [&](EndpointId src, EndpointId dst, u64 connections) {
      const u32 links = links_between(world, src, dst);
      cost.payload_bytes += connections * bytes;
      const double hops =
          hops_of(world.roce, bytes, slices, links) + static_cast<double>(slices) * links;  // a CTS each
      cost.packet_hops += static_cast<double>(connections) * hops;
    };
    if (job.all_pairs) {
      for_each_pair_of_groups(world, job, [&](EndpointId src, EndpointId dst, u64 pairs) {
        add(src, dst, pairs * job.all_pairs.channels);
      });
      continue;
    }
    for (u32 i = job.first_connection; i < job.first_connection + job.connections; ++i) {
      const Connection& connection = plan.connections[i];
      if (!connection.nvlink) add(connection.src, connection.dst, 1);
    }
  }
}

void limit_to_horizon(const World& world, Cost& cost) {
  if (world.clocks.horizon_ps >= kNever) return;
  double bytes = 0;
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    bytes += static_cast<double>(
        bytes_in_ps(world.clocks.horizon_ps, world.fabric.links[world.fabric.nodes[e].first_link].ps_per_byte_q16));
  }
  if (bytes >= static_cast<double>(cost.payload_bytes)) return;
  cost.packet_hops *= bytes / static_cast<double>(cost.payload_bytes);
  cost.payload_bytes = static_cast<u64>(bytes);
}

template <class T>
u64 size_of(const std::vector<T>& v) {
  return v.size() * sizeof(T);
}

void add_memory(const World& world, Cost& cost) {
  const Fabric& f = world.fabric;
  const CollectivePlan& p = world.collectives;
  cost.table_bytes = size_of(f.nodes) + size_of(f.links) + size_of(f.names) + size_of(world.routing.table.set_of) +
                     size_of(world.routing.table.ports) + size_of(world.routing.hops) + size_of(world.traffic.qps) +
                     size_of(world.traffic.messages) + size_of(p.connections) + size_of(p.lanes);
  const u64 qp_bytes = kQpBytes + (world.dcqcn.enabled ? kDcqcnBytes : 0);
  cost.state_bytes = f.links.size() * f.classes.size() * kLinkClassBytes + p.lanes.size() * kLaneBytes +
                     world.traffic.qps.size() * qp_bytes;
  // Without tables: two lanes a connection.
  cost.on_use_bytes = (count_connections(p) - p.connections.size()) * 2 * kLaneBytes +
                      (count_qps(world) - world.traffic.qps.size()) * qp_bytes;
  for (const Link& l : f.links) {
    const u64 on_wire = bytes_in_ps(l.lambda_ps + world.clocks.tick_ps, l.ps_per_byte_q16) / world.roce.mtu_bytes + 2;
    cost.in_flight_bytes += on_wire * kPacketBytes;
  }
}

}  // namespace

Cost estimate_cost(const World& world) {
  Cost cost;
  add_messages(world, cost);
  add_collectives(world, cost);
  limit_to_horizon(world, cost);
  add_memory(world, cost);
  return cost;
}

}  // namespace heddle
