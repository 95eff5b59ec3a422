#include "partition/cut/demands.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// Packets of one queue pair: data forward, control packets back; and the ACKs of CTSs, which travel with the data.
struct Volume {
  u64 data = 0, control = 0, cts_acks = 0;
};

Volume message_volume(const World& world, u32 traffic_class, u64 bytes) {
  const Framing framing = framing_of(world, traffic_class);
  const u64 packets = framing.packets(bytes);
  const u32 per_ack = framing.packets_per_ack;
  return {packets, packets / per_ack + (packets % per_ack != 0), 0};
}

void add_slices(const World& world, u64 slices, u64 slice_bytes, u32 slices_per_cts, Volume& total) {
  const Volume one = message_volume(world, kCollectiveClass, slice_bytes);
  total.data += slices * one.data;
  total.control += slices * one.control + slices / slices_per_cts;  // and the CTSs that admit them
  total.cts_acks += slices / slices_per_cts;
}

Volume connection_volume(const World& world, const Job& job, u32 group, u32 connection) {
  const CollectivePlan& plan = world.collectives;
  Volume total;
  for_each_schedule(plan, job, group, connection, [&](const Collective&, const SliceSchedule& schedule) {
    for_each_size(schedule,
                  [&](u32 slices, u32 bytes) { add_slices(world, slices, bytes, job.slices_per_cts, total); });
  });
  return total;
}

class Demands {
 public:
  Demands(const World& world, const std::function<void(const Demand&)>& take)
      : world_(world), take_(take), explicit_(world.routing.paths_are_given()) {}

  void add(const Qp& qp, TimePs post_ps, Volume volume) const {
    const u64 most = max_packets(qp, post_ps);
    if (volume.data == 0 || most == 0) return;
    if (volume.data > most) {  // control packets shrink in proportion to the data
      for (u64* packets : {&volume.control, &volume.cts_acks})
        *packets = static_cast<u64>(static_cast<unsigned __int128>(*packets) * most / volume.data);
      volume.data = most;
    }
    take_({qp.src, qp.dst, explicit_ ? qp.data_path : kNone, volume.data + volume.cts_acks});
    if (volume.control != 0) take_({qp.dst, qp.src, explicit_ ? qp.control_path : kNone, volume.control});
  }

 private:
  /// Full packets of a queue pair that its NIC can send from `post_ps` until the horizon.
  u64 max_packets(const Qp& qp, TimePs post_ps) const {
    if (world_.clocks.horizon_ps >= kNever) return UINT64_MAX;
    if (post_ps >= world_.clocks.horizon_ps) return 0;
    const Link& nic = world_.fabric.links[world_.fabric.nodes[qp.src].first_link];
    const bool by_packet = world_.roce.port_choice == PortChoice::per_packet && !is_tcp(world_, qp.traffic_class);
    const u64 ports = by_packet ? world_.fabric.nic_ports : 1;
    const Framing framing = framing_of(world_, qp.traffic_class);
    const u64 bytes = ports * bytes_in_ps(world_.clocks.horizon_ps - post_ps, nic.ps_per_byte_q16);
    return bytes / (framing.payload_bytes + framing.overhead_wire_bytes) + 1;
  }

  const World& world_;
  const std::function<void(const Demand&)>& take_;
  bool explicit_;
};

/// The share `index` of `parts` nearly equal ones, the first of which are larger.
Volume share(const Volume& whole, u32 parts, u32 index) {
  const auto of = [&](u64 packets) { return packets / parts + (index < packets % parts); };
  return {of(whole.data), of(whole.control), of(whole.cts_acks)};
}

/// Adds the queue pairs of an all-to-all that is in no table. Its paths are those of the routing tables.
void add_all_pairs(const Job& job, const Volume& connection, const Demands& demands) {
  const u32 channels = job.all_pairs.channels, qps = job.all_pairs.qps;
  for_each_network_pair(job, [&](EndpointId src, EndpointId dst) {
    Qp qp;
    qp.src = src;
    qp.dst = dst;
    for (u32 i = 0; i < channels * qps; ++i) demands.add(qp, 0, share(connection, qps, i % qps));
  });
}

}  // namespace

void for_each_demand(const World& world, const std::function<void(const Demand&)>& take) {
  Demands demands(world, take);
  for (const Message& m : world.traffic.messages) {
    const Qp& qp = world.traffic.qps[m.qp];
    demands.add(qp, m.post_ps, message_volume(world, qp.traffic_class, m.bytes));
  }
  for (const Job& job : world.collectives.jobs) {
    for (u32 g = 0; g < job.groups.size(); ++g) {
      if (job.all_pairs) {
        add_all_pairs(job, connection_volume(world, job, g, job.groups[g].first_connection), demands);
        continue;
      }
      for_each_alike(world.collectives, job, g, [&](u32 first, u32 count) {
        const Volume whole = connection_volume(world, job, g, first);
        for (u32 c = first; c < first + count; ++c) {
          const Connection& connection = world.collectives.connections[c];
          for (u32 q = 0; !connection.nvlink && q < connection.qps; ++q)
            demands.add(world.traffic.qps[connection.first_qp + q], 0, share(whole, connection.qps, q));
        }
      });
    }
  }
}

}  // namespace heddle
