#include "host/check/estimates/qp_work.hpp"

#include <algorithm>
#include <cmath>

#include "host/scenario/topology/transports.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// Adds `count` messages or slices of `bytes` each.
void add_messages(const World& world, u32 traffic_class, double count, u64 bytes, QpWork& work) {
  const Framing framing = framing_of(world, traffic_class);
  const double packets = static_cast<double>(framing.packets(bytes));
  const double acks = std::ceil(packets / framing.packets_per_ack);
  work.packets += count * packets;
  work.wire_bytes += count * (static_cast<double>(bytes) + packets * framing.overhead_wire_bytes + framing.first_bytes);
  work.answers += count * acks;
  work.answer_wire_bytes += count * acks * framing.ack_wire_bytes;
}

/// The work of each queue pair of a connection.
QpWork work_of_connection_qp(const World& world, const Job& job, u32 group, u32 connection) {
  const u32 qps = world.collectives.connections[connection].qps;
  QpWork work;
  double under_way = 0;  // packets
  for_each_schedule(world.collectives, job, group, connection, [&](const Collective& c, const SliceSchedule& schedule) {
    for_each_size(schedule, [&](u32 slices, u32 bytes) {
      add_messages(world, kCollectiveClass, static_cast<double>(slices) / qps, bytes, work);
      const double grants = static_cast<double>(slices) / qps / job.slices_per_cts;
      work.grants += grants;
      work.answers += grants;
      work.answer_wire_bytes += grants * world.roce.cts_wire_bytes;
    });
    const double slice_packets = std::ceil(static_cast<double>(largest_slice_bytes(schedule)) / world.roce.mtu_bytes);
    under_way = std::max(under_way, std::ceil(static_cast<double>(c.slots) / qps) * slice_packets);
  });
  work.max_packets = std::min({work.packets, under_way, static_cast<double>(window_of(world.roce))});
  return work;
}

void add_group(const World& world, const Job& job, u32 number, std::vector<QpWork>& work) {
  const ChannelEndGroup& group = job.groups[number];
  double active = 1;  // share of the connections that are active at once
  if (group.window != 0 && group.connections != 0)
    active = std::min(1.0, static_cast<double>(job.ranks.size()) * group.window / group.connections);
  for_each_alike(world.collectives, job, number, [&](u32 first, u32 count) {
    QpWork of_qp;
    u32 qps = 0;
    for (u32 c = first; c < first + count; ++c) {
      const Connection& connection = world.collectives.connections[c];
      if (connection.nvlink) continue;
      if (connection.qps != qps) {
        qps = connection.qps;
        of_qp = work_of_connection_qp(world, job, number, c);
        of_qp.max_packets *= active;
      }
      std::fill_n(work.begin() + connection.first_qp, qps, of_qp);
    }
  });
}

/// Limits the packets in flight of each NIC to what it can send until the horizon.
void limit_to_horizon(const World& world, std::vector<QpWork>& work) {
  const Traffic& traffic = world.traffic;
  if (world.clocks.horizon_ps >= kNever) return;
  for (QpId first = 0; first < work.size();) {
    QpId end = first;
    double bytes = 0;
    for (; end < work.size() && traffic.qps[end].src == traffic.qps[first].src; ++end)
      bytes += work[end].max_packets * work[end].bytes_of_packet();
    const double most =
        static_cast<double>(world.clocks.horizon_ps) / nic_ps_per_byte(world.fabric, traffic.qps[first].src);
    for (QpId q = first; q < end; ++q) work[q].max_packets *= bytes > most ? most / bytes : 1;
    first = end;
  }
}

}  // namespace

std::vector<QpWork> work_of_qps(const World& world) {
  std::vector<QpWork> work(world.traffic.qps.size());
  const std::vector<Qp>& qps = world.traffic.qps;
  for (const Message& m : world.traffic.messages) add_messages(world, qps[m.qp].traffic_class, 1, m.bytes, work[m.qp]);
  for (QpId q = 0; q < work.size(); ++q)
    work[q].max_packets = std::min(work[q].packets, static_cast<double>(window_of(world, qps[q].traffic_class)));
  for (const Job& job : world.collectives.jobs) {
    for (u32 g = 0; !job.all_pairs && g < job.groups.size(); ++g) add_group(world, job, g, work);
  }
  limit_to_horizon(world, work);
  return work;
}

}  // namespace heddle
