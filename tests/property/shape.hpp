// What the sections of one random world must agree on. Drawn first; everything else follows it.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/base/types.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/imported_graph.hpp"
#include "tests/property/toml_text.hpp"

namespace heddle::property {

struct Shape {
  u64 seed = 0;
  // topology
  std::string kind;
  u32 endpoints = 2, gpus_per_rack = 2, zones = 1, racks = 1;
  u32 ctsws = 0, uplinks_per_rtsw = 0, atsws = 0, uplinks_per_ctsw = 0;
  ImportedGraph graph;  // of kind hpcc
  u64 host_bits_per_s = 0;
  // packets
  u32 mtu_bytes = 0;
  bool dense = false;  // tens of thousands of tiny packets within a tick
  u32 packets = 0;     // of data, about as many as all traffic together may send once
  // what decides whether anything can be lost, or sent again, or last long
  bool lossless_pfc = true, best_effort_pfc = false, control_pfc = false;
  bool safe_headroom = true;    // headrooms as computed, memory in abundance
  bool limits = false;          // some class has a small limit per queue
  bool dynamic_limits = false;  // best effort is limited by free shared memory
  bool unlimited = false;       // classes without PFC may have no limit at all; then every switch shares its memory
  bool watchdog = false;        // queues that are paused for a few packets' time are emptied
  bool short_rto = false;
  bool failing = false;          // links go down, slow down, lose packets
  bool silent_racks = false;     // NICs send some racks packets without payload alone, and a controller counts them
  std::string control = "none";  // congestion control
  bool eager_marks = false;      // queues of a packet or so are marked, and a congestion control acts on it

  u32 lossless_classes() const { return u32{lossless_pfc} + u32{best_effort_pfc} + u32{control_pfc}; }
  /// Ports of the switches of a tier (at least as many as any of them has).
  u32 rtsw_ports() const {
    if (kind == "hpcc") return graph.max_ports();
    return gpus_per_rack + uplinks_per_rtsw;
  }
  u32 ctsw_ports() const {
    return ctsws == 0 ? rtsw_ports() : racks * ((uplinks_per_rtsw + ctsws - 1) / ctsws) + uplinks_per_ctsw;
  }
  u32 atsw_ports() const {
    return atsws == 0 ? rtsw_ports() : zones * ((ctsws * uplinks_per_ctsw + atsws - 1) / atsws);
  }
  /// A full packet on a NIC's link.
  u64 packet_ps() const { return (mtu_bytes + 102ull) * 8'000'000'000'000ull / host_bits_per_s; }
  /// Every packet is sent once and the run ends by itself, soon. (Imported graphs have cycles, which can deadlock.)
  bool clean() const {
    return safe_headroom && !limits && !dynamic_limits && !watchdog && !short_rto && control == "none" && !failing &&
           (lossless_pfc || packets < 500) && kind != "hpcc";
  }
  /// After this the world has had its share of events, whatever goes wrong in it.
  u64 longest_ps() const { return std::max<u64>(dense ? 10'000'000 : 30'000'000, packet_ps() * 20'000 / endpoints); }
};

/// Endpoints in a row.
struct Hosts {
  u64 first = 0, count = 0;
};

/// Which traffic there is, and the streams that the rest of it is drawn from.
struct TrafficDraws {
  Draw traffic, own;
  bool collectives, own_gpus;  // some; all of them on GPUs that nothing else uses (write_own_jobs)

  TrafficDraws(u64 seed, bool dense)  // of worlds without silent racks
      : traffic(seed, "traffic"),
        own(seed, "own GPUs"),
        collectives(!dense && traffic.percent(35)),
        own_gpus(collectives && own.percent(15)) {}
};

Shape draw_shape(u64 seed);

// Each writes its sections.
void write_fabric(const Shape& shape, TomlText& toml);
void write_routing(const Shape& shape, TomlText& toml);
void write_buffers(const Shape& shape, TomlText& toml);
void write_transport(const Shape& shape, TomlText& toml);
void write_workload(const Shape& shape, TomlText& toml);
void write_failures(const Shape& shape, TomlText& toml);

/// One or two jobs, of about as many packets of data.
void write_jobs(Draw& draw, const Shape& shape, u32 packets, TomlText& toml);
/// An all-to-all in which NICs have nothing to send to whole racks (Shape::silent_racks).
void write_silent_job(const Shape& shape, u32 packets, TomlText& toml);
/// A job that trains a small transformer.
void write_training(Draw& draw, const Shape& shape, bool shared, u32 packets, TomlText& toml);
/// A job that replays a schedule, or layers of a workload, of its own.
void write_trace(Draw& draw, const Shape& shape, bool shared, u32 packets, TomlText& toml);
/// An all-to-all, and in half of the worlds a second job behind it, on GPUs that nothing else may use: they are in
/// closed form (Job::all_pairs). Returns the hosts that are left for other traffic.
Hosts write_own_jobs(Draw& draw, const Shape& shape, u32 packets, TomlText& toml);

}  // namespace heddle::property
