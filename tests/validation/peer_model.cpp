#include "tests/validation/peer_model.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/scenario/build.hpp"
#include "host/scenario/topology/clocks.hpp"

namespace heddle::validation {
namespace {

constexpr u64 kNs3PacketBytes = 4144;
constexpr TimePs kLinkDelayPs = 1'000'000;  // of every link

/// The leaf-spine is imported. Fat trees are described by keys: k-ary, and with 2:1 at leaves and at spines.
std::string fabric_toml(PeerFabric fabric) {
  if (fabric == PeerFabric::leaf_spine)
    return "[topology]\nkind = \"hpcc\"\nfile = \"tests/validation/data/leaf_spine_topology.txt\"\n";
  std::string toml = "[topology]\nkind = \"fat_tree\"\n[topology.fat_tree]\n";
  toml += fabric == PeerFabric::k8 ? "radix = 8\n"
                                   : "pods = 4\nleaves = 4\ngpus_per_leaf = 8\nspines = 4\nuplinks_per_leaf = 4\n"
                                     "cores = 8\nuplinks_per_spine = 2\n";
  toml += "[link]\nhost_propagation = \"1 us\"\n[latency]\nnic_transmit = 0\nnic_receive = 0\n";
  for (const char* layer : {"leaf_spine", "spine_core"})
    toml += fmt::format("[layer.{}]\npropagation = \"1 us\"\n", layer);
  for (const char* tier : {"leaf", "spine", "core"}) toml += fmt::format("[tier.{}]\ningress = 0\n", tier);
  return toml;
}

std::vector<std::string> buffer_sections(PeerFabric fabric) {
  if (fabric == PeerFabric::leaf_spine) return {"buffer.rtsw", "buffer.ctsw"};
  return {"tier.leaf.buffer", "tier.spine.buffer", "tier.core.buffer"};
}

/// Fabric, paths and clocks are the same kind of thing for both: no pipelines (kind hpcc), an ACK for every packet,
/// control queues without a limit, and no time to respond to a pause.
std::string common_toml(const PeerCase& run, const ReplaySettings& settings) {
  return fmt::format(R"(
[simulation]
seed = {}
slot = "{} ps"
epoch = "{} ps"
[routing]
policy = "explicit"
paths_file = "tests/validation/data/{}"
[class.control]
limit = 0
[pfc]
standard_response = false
response = 0
allow_unsafe_headroom = true
[workload]
jitter_packets = 0
)",
                     settings.seed, settings.slot_ps, settings.epoch_ps, run.paths) +
         fabric_toml(run.fabric);
}

/// ACKs wait in the queues of data. Cells of 64 B hold a frame of 4140 B in 4160 B and an ACK in 64 B, so that buffers
/// count what htsim counts. PAUSE beyond HIGH is PAUSE at HIGH + 1 B; RESUME below LOW is RESUME at LOW - 1 B.
std::string htsim_toml(const PeerCase& run) {
  std::string toml = R"(
[roce]
data_overhead = 64
reth = 0
ack_wire = 64
ack_every = 1
ack_high_priority = false
[ecn]
enabled = false
)";
  for (const std::string& section : buffer_sections(run.fabric)) {
    toml += fmt::format("[{}]\nkind = 'static'\nbytes = '100 MB'\nxoff = {}\nxon = {}\ncell = 64\n", section,
                        run.high_bytes + 1, run.low_bytes - 1);
  }
  return toml;
}

/// Its data packets have 48 B of headers. Here 49: whole_nanoseconds refuses packets that would take no time, as one of
/// 1 + 48 B would, and 4145 B take the same 82 ns as 4144 B. Cells of 56 B hold the frame in 4144 B, as ns-3 counts it,
/// and an ACK in 56 B. ACKs wait in the data's queues: ACK_HIGH_PRIO of its configuration reaches the hosts only, its
/// switches keep their default, 0. The CNP, a flag on ns-3's ACKs, is a packet that follows the ACK and takes 1 ns.
/// ns-3 compares Kmin and Kmax with the queue behind the packet that starts, here they meet the queue with it.
std::string ns3_toml(const PeerCase& run, const ReplaySettings& settings) {
  std::string toml = fmt::format(R"(
[link]
whole_nanoseconds = true
[roce]
data_overhead = 49
reth = 0
ack_wire = 60
cnp_wire = 60
ack_every = 1
ack_high_priority = false
[ecn]
enabled = {0}
kmin = {1}
kmax = {2}
pmax = 0.2
[dcqcn]
enabled = {0}
preset = "hpcc"  # CNP with every marked packet, 1 us, 4 us, 300 us, g 1/256, F 1, 80/800 Mb/s, 1 Gb/s
pace_follows_rate = {3}
)",
                                 run.dcqcn(), run.kmin_bytes + kNs3PacketBytes,
                                 run.kmax_bytes + kNs3PacketBytes + (run.dcqcn() ? 0 : 1), settings.pace_follows_rate);
  for (const std::string& section : buffer_sections(run.fabric)) {
    toml += fmt::format(
        "[{}]\nkind = 'shared'\nbytes = '{} MiB'\npools = 1\nalpha = 0.125\nreserve = 4096\n"
        "headroom = 150000\ncell = 56\n",
        section, run.buffer_mib);
  }
  return toml;
}

}  // namespace

ReplaySettings settings_for(Peer peer) {
  // htsim: thresholds are static, so epochs cost nothing and matter nowhere. Its pauses act at once; the delay here is
  // also the longest tick, so it is not smaller still.
  if (peer == Peer::htsim) return {.slot_ps = 1 << 10, .epoch_ps = 1 << 19, .pause_delay_ps = 1 << 14};
  return {.slot_ps = 1 << 13, .epoch_ps = 1 << 13, .pause_delay_ps = kLinkDelayPs};
}

World peer_world(const PeerCase& run, const PeerFlows& flows, const ReplaySettings& settings) {
  std::string toml = common_toml(run, settings) + (run.peer == Peer::htsim ? htsim_toml(run) : ns3_toml(run, settings));
  for (const auto& [key, flow] : flows) {
    toml += fmt::format("[[message]]\nsrc = {}\ndst = {}\nbytes = {}\n", key.first, key.second, flow.bytes);
  }
  const Config config = load_config_text(toml, "./validation.toml");
  World world = build_world(config);
  for (Link& link : world.fabric.links) link.phi_ps = settings.pause_delay_ps;
  world.clocks = choose_clocks(config.simulation, world);
  return world;
}

}  // namespace heddle::validation
