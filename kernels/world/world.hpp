// Everything that a run simulates: host/ makes it from a configuration, and the engine and the oracle see nothing else.
#pragma once

#include <algorithm>

#include "kernels/world/collective.hpp"
#include "kernels/world/congestion.hpp"
#include "kernels/world/fabric.hpp"
#include "kernels/world/failures.hpp"
#include "kernels/world/program.hpp"
#include "kernels/world/routing.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// The grids of MODEL.md, 3.
struct Clocks {
  TimePs tick_ps = 0;                // at most every latency; changes no result
  u32 slot_log2_ps = 15;             // PFC sampling slot sigma = 2^15 ps
  TimePs epoch_ps = 1 << 19;         // dynamic thresholds; a multiple of the slot and of the tick
  TimePs horizon_ps = kNever;        // only instants before it are simulated
  TimePs stuck_ps = 10'000'000'000;  // a queue paused this long without a departure is stuck (our judgement)
};

struct World {
  u64 seed = 1;
  Clocks clocks;
  Fabric fabric;
  Failures failures;
  Routing routing;
  RoceSettings roce;
  TcpSettings tcp;  // of classes with that transport
  Congestion congestion;
  Traffic traffic;
  CollectivePlan collectives;
  ProgramPlan programs;
};

/// Whether data of a class goes by TCP.
inline bool is_tcp(const World& world, u32 traffic_class) {
  return world.fabric.classes[traffic_class].transport == Transport::tcp;
}

/// Whether some queue pair is a TCP connection.
inline bool has_tcp(const World& world) {
  return std::ranges::any_of(world.traffic.qps, [&](const Qp& qp) { return is_tcp(world, qp.traffic_class); });
}

/// Largest wire size of a packet of any kind.
inline u32 largest_wire_bytes(const World& world) {
  const u32 segment = has_tcp(world) ? world.tcp.segment_bytes + world.tcp.overhead_wire_bytes : 0;
  return std::max(largest_wire_bytes(world.roce), segment);
}

/// How the messages of a class become packets.
struct Framing {
  u32 payload_bytes;        // of a full packet
  u32 overhead_wire_bytes;  // of each data packet
  u32 first_bytes;          // more on the first packet of a message
  u32 ack_wire_bytes;
  u32 packets_per_ack;  // in order

  u64 packets(u64 bytes) const { return bytes == 0 ? 1 : (bytes - 1) / payload_bytes + 1; }
};

inline Framing framing_of(const World& world, u32 traffic_class) {
  const RoceSettings& roce = world.roce;
  const TcpSettings& tcp = world.tcp;
  if (is_tcp(world, traffic_class))
    return {tcp.segment_bytes, tcp.overhead_wire_bytes, 0, tcp.overhead_wire_bytes, tcp.ack_every_segments};
  return {roce.mtu_bytes, roce.data_overhead_wire_bytes, roce.reth_bytes, roce.ack_wire_bytes, roce.ack_every};
}

/// The rack of an endpoint: the group of its NIC's first port.
inline u32 rack_of(const World& world, EndpointId endpoint) {
  return world.routing.group_of[address_of(world.fabric, endpoint, 0)];
}

/// Number of queue pairs of all jobs and messages, both in tables and in closed form.
inline u64 count_qps(const World& world) {
  u64 count = world.traffic.qps.size();
  for (const Job& job : world.collectives.jobs) {
    if (job.all_pairs) count += network_pairs(job) * job.all_pairs.channels * job.all_pairs.qps;
  }
  return count;
}

/// The GPUs of every job of the configuration, by rank.
inline std::vector<std::vector<EndpointId>> gpus_by_job(const World& world) {
  std::vector<std::vector<EndpointId>> gpus;
  const auto of = [&](u32 job) -> std::vector<EndpointId>& {
    if (gpus.size() <= job) gpus.resize(job + 1);
    return gpus[job];
  };
  for (const Job& communicator : world.collectives.jobs) {
    if (!communicator.by_program) of(communicator.number) = communicator.ranks;
  }
  for (const ProgramRun& run : world.programs.runs) {
    const Task& task = world.programs.tasks[run.task];
    if (task.trains) of(task.job).push_back(run.gpu);
  }
  return gpus;
}

/// [class]: whether the class carries data of a queue pair, also of one in another class that takes detours.
inline std::vector<bool> classes_with_data(const World& world) {
  std::vector<bool> used(world.fabric.classes.size(), false);
  for (const Qp& qp : world.traffic.qps) used.at(qp.traffic_class) = true;
  for (const Job& job : world.collectives.jobs) {
    if (job.all_pairs) used.at(kCollectiveClass) = true;
  }
  if (world.routing.detour_class != 0) used.at(world.routing.detour_class) = used.at(kDetouredClass);
  return used;
}

}  // namespace heddle
