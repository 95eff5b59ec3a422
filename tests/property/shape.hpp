// Properties that the sections of one random world have in common. They are drawn first; everything else follows them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/scenario/topology/registry.hpp"
#include "kernels/base/types.hpp"
#include "kernels/routing/parameters.hpp"
#include "tests/property/any_topology.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/imported_graph.hpp"
#include "tests/property/toml_text.hpp"

namespace heddle::property {

struct Shape {
  u64 seed = 0;
  // topology
  std::string kind;
  u32 endpoints = 2, gpus_per_rack = 2, zones = 1, racks = 1;
  u32 ctsws = 0, uplinks_per_rtsw = 0, atsws = 0, uplinks_per_ctsw = 0;  // of fat trees: spines, cores
  u32 radix = 0;                                                         // of a k-ary fat tree
  u32 rails = 0;                       // NICs, and so GPUs, of a server, where the fabric says it
  u32 planes = 1, leaves_per_nic = 1;  // ports of NICs: racks are sets of leaves
  bool port_per_packet = false;
  std::array<std::string, kLeafTierNames.size()> tier_policies;  // of [tier.NAME]; empty: not given
  std::vector<TierHashOptions> tier_hashes;                      // of [tier.NAME]; empty: not given
  std::vector<TierHashOptions> other_tier_hashes;                // of [fabric.tier.NAME], if there is such a fabric
  ImportedGraph graph;                                           // graph of kind hpcc
  std::optional<AnyTopology> any;                                // then there are neither ctsws nor zones
  bool detours = false;                                          // packets take some (MODEL.md, 7.11)
  u64 host_bits_per_s = 0;
  // packets
  u32 mtu_bytes = 0;
  bool dense = false;  // tens of thousands of tiny packets within a tick
  u32 packets = 0;     // approximate number of data packets that all traffic may send once
  bool lossless_tcp = false, best_effort_tcp = false;  // classes whose data go by TCP
  bool tcp_marks = false;                              // DCTCP, which needs marks
  // risks: whether packets can be lost or retransmitted, or a run can last long
  bool lossless_pfc = true, best_effort_pfc = false, control_pfc = false;
  bool safe_headroom = true;    // computed headrooms, plenty of memory
  bool limits = false;          // some class has a small limit per queue
  bool dynamic_limits = false;  // best effort is limited by free shared memory
  bool unlimited = false;       // classes without PFC may have no limit at all; then every switch shares its memory
  bool watchdog = false;        // queues that are paused for a few packets' time are emptied
  bool short_rto = false;
  bool failing = false;          // links go down, slow down, lose packets
  bool silent_racks = false;     // NICs send some racks only packets without payload, and a controller counts these
  std::string control = "none";  // congestion control
  bool eager_marks = false;      // queues of a packet or so are marked, and a congestion control acts on it

  bool of_leaves() const { return tier_names_of(kind)[0] == kLeafTierNames[0]; }
  u32 nic_ports() const { return planes * leaves_per_nic; }
  /// The GPUs of a server of a job that would have `drawn`.
  u32 server_gpus(u32 drawn) const { return rails != 0 ? rails : drawn; }
  /// The number of the switch that an endpoint hangs on.
  u32 rack_of(u64 endpoint) const {
    if (any) return any->switch_of(static_cast<EndpointId>(endpoint)) - endpoints;
    if (rails < 2) return static_cast<u32>(endpoint / gpus_per_rack);
    return static_cast<u32>(endpoint / rails / gpus_per_rack * rails + endpoint % rails);
  }
  std::string of_plane(u64 plane) const { return planes == 1 ? "" : "plane" + std::to_string(plane) + "_"; }
  /// `leaf`: of the set of leaves.
  std::string rack_switch(u64 number, u64 plane = 0, u64 leaf = 0) const {
    return of_plane(plane) + (of_leaves() ? "leaf" : "rtsw") + std::to_string(number * leaves_per_nic + leaf);
  }
  std::string spine(u64 number, u64 plane = 0) const {
    return of_plane(plane) + (of_leaves() ? "spine" : "ctsw") + std::to_string(number);
  }
  std::string top_switch(u64 number, u64 plane = 0) const {
    return of_plane(plane) + (of_leaves() ? "core" : "atsw") + std::to_string(number);
  }

  u32 lossless_classes() const {
    return u32{lossless_pfc} * (detours ? 2 : 1) + u32{best_effort_pfc} + u32{control_pfc};
  }
  /// Returns the number of ports of a tier's switches (at least as many as any of them has).
  u32 rtsw_ports() const {
    if (kind == "hpcc") return graph.max_ports();
    if (any) return any->max_ports();
    return gpus_per_rack + uplinks_per_rtsw;
  }
  u32 ctsw_ports() const {
    const u32 leaves = racks * leaves_per_nic;
    return ctsws == 0 ? rtsw_ports() : leaves * ((uplinks_per_rtsw + ctsws - 1) / ctsws) + uplinks_per_ctsw;
  }
  u32 atsw_ports() const {
    return atsws == 0 || any ? rtsw_ports() : zones * ((ctsws * uplinks_per_ctsw + atsws - 1) / atsws);
  }
  bool has_tcp() const { return lossless_tcp || best_effort_tcp; }
  /// Serialisation time of a full packet on a NIC's link.
  u64 packet_ps() const { return (mtu_bytes + 102ull) * 8'000'000'000'000ull / host_bits_per_s; }
  /// Whether every packet is sent once and the run ends by itself, soon. (Imported graphs and meshes have
  /// cycles, which can deadlock.)
  bool clean() const {
    return safe_headroom && !limits && !dynamic_limits && !watchdog && !short_rto && control == "none" && !failing &&
           (lossless_pfc || packets < 500) && kind != "hpcc" && !any && !port_per_packet && !has_tcp();
  }
  /// A time after which the world has had enough events, whatever goes wrong in it.
  u64 longest_ps() const { return std::max<u64>(dense ? 10'000'000 : 30'000'000, packet_ps() * 20'000 / endpoints); }
};

/// Endpoints in a row.
struct Hosts {
  u64 first = 0, count = 0;
};

/// Which traffic exists, and the streams from which the rest of it is drawn.
struct TrafficDraws {
  Draw traffic, own;
  bool collectives, own_gpus;  // whether there are any; whether only they use their GPUs (write_own_jobs)

  TrafficDraws(u64 seed, bool dense)  // for worlds without silent racks
      : traffic(seed, "traffic"),
        own(seed, "own GPUs"),
        collectives(!dense && traffic.percent(35)),
        own_gpus(collectives && own.percent(15)) {}
};

Shape draw_shape(u64 seed);
void draw_tier_policies(Shape& shape);
void draw_tier_hashes(Shape& shape);
/// Whether the world's queue pairs have paths from a file.
bool has_given_paths(const Shape& shape);

// Writers of sections.
void write_fabric(const Shape& shape, TomlText& toml);
void write_other_fabric(const Shape& shape, TomlText& toml);
/// Whether the World has one.
bool has_other_fabric(const Shape& shape);
/// Writes, for a controller that measures, a network of its own: sometimes, where there is another fabric.
void write_control_network(const Shape& shape, TomlText& toml);
/// Whether that fabric has storage servers, and a CPU NIC for each GPU, by which training jobs write checkpoints.
bool checkpoints_by_another_fabric(const Shape& shape);
void write_other_traffic(const Shape& shape, TomlText& toml);
void write_routing(const Shape& shape, TomlText& toml);
void write_tier_hash(const TierHashOptions& tier, TomlText& toml);
void write_buffers(const Shape& shape, TomlText& toml);
void write_transport(const Shape& shape, TomlText& toml);
void write_workload(const Shape& shape, TomlText& toml);
void write_failures(const Shape& shape, TomlText& toml);

/// Writes one or two jobs, of about this many packets of data.
void write_jobs(Draw& draw, const Shape& shape, u32 packets, TomlText& toml);
/// Writes an all-to-all in which NICs have no payload for whole racks (Shape::silent_racks).
void write_silent_job(const Shape& shape, u32 packets, TomlText& toml);
/// Writes a job that trains a small transformer.
void write_training(Draw& draw, const Shape& shape, bool shared, u32 packets, TomlText& toml);
/// Writes a job that replays a schedule, or layers of a workload, of its own.
void write_trace(Draw& draw, const Shape& shape, bool shared, u32 packets, TomlText& toml);
/// Writes an all-to-all, and in half of the worlds a second job behind it, on GPUs that no other traffic may use: they
/// are in closed form (Job::all_pairs). Returns the hosts that are left for other traffic.
Hosts write_own_jobs(Draw& draw, const Shape& shape, u32 packets, TomlText& toml);

}  // namespace heddle::property
