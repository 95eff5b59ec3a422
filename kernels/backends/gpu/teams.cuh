// Assigns switches to blocks: runs of whole consecutive switches, packed so that most lanes have a port.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/backends/gpu/copies.cuh"
#include "kernels/fabric/switch_scratch.hpp"
#include "kernels/ports/serve.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Largest scratch of a block in shared memory; larger scratch lies in global memory. A Hopper multiprocessor has 227
/// KiB for a block, and the kernel needs some for other data: a switch of 600 ports fits.
inline constexpr u32 kSharedBytes = 224 * 1024;

/// A run of consecutive switches that one block takes.
struct Run {
  u32 first, end;
};

/// The runs of one launch, and their scratch.
struct Teams {
  const Run* runs = nullptr;
  u32 count = 0;
  u32 ports = 0, packets = 0, bins = 0;  // of the largest team
  u64 scratch_bytes = 0;                 // per team
  char* slab = nullptr;                  // nullptr: shared memory
  bool phases = true;                    // fabric/phased_service.hpp
};

/// The teams of a tick by ports (by_ports.cuh).
struct PortTeams {
  Bins bins;                       // none: switches go the general way, each as a whole
  const u32* word_node = nullptr;  // [words of ports] their switches
  const ServedPart* part = nullptr;
  bool phases = true;  // as of Teams
};

/// The runs of all switches of a process: those that share a block (small), and those that fill one or more (big).
struct SwitchRuns {
  std::vector<Run> small, big;
};

/// Packs switches into shared blocks of up to `team_ports` ports.
inline SwitchRuns pack_switches(const View& host, u32 team_ports) {
  SwitchRuns runs;
  for (u32 n = 0; n < host.switches;) {
    const auto ports_to = [&](u32 end) { return host.first_link[end] - host.first_link[n]; };
    u32 end = n + 1;
    const bool fits = ports_to(end) <= team_ports;
    while (fits && end < host.switches && ports_to(end + 1) <= team_ports) ++end;
    (fits ? runs.small : runs.big).push_back({n, end});
    n = end;
  }
  return runs;
}

/// The teams of one launch on the device, with the memory behind their scratch.
class TeamMemory {
 public:
  TeamMemory() = default;
  TeamMemory(const View& host, const std::vector<Run>& runs, TimePs tick_ps, bool phases, const Copies& copies) {
    const Settings& s = host.settings;
    teams_.phases = phases;
    teams_.count = static_cast<u32>(runs.size());
    if (runs.empty()) return;
    for (const Run& run : runs)
      teams_.ports = std::max(teams_.ports, host.first_link[run.end] - host.first_link[run.first]);
    teams_.bins = static_cast<u32>(tick_ps >> s.slot_log2) + 2;
    teams_.packets = std::max(256u, teams_.ports * 10);
    teams_.scratch_bytes =
        SwitchScratch::bytes(teams_.ports, s.classes, s.pfc_classes, teams_.bins, teams_.packets) + 64;
    teams_.scratch_bytes = (teams_.scratch_bytes + 15) / 16 * 16;
    runs_ = DeviceMemory(runs.size() * sizeof(Run));
    copies.upload(runs_.get(), runs.data(), runs.size() * sizeof(Run), "the teams");
    teams_.runs = runs_.get<Run>();
    if (teams_.scratch_bytes <= kSharedBytes) return;
    slab_ = DeviceMemory(teams_.scratch_bytes * runs.size());
    teams_.slab = slab_.get<char>();
  }
  const Teams& teams() const { return teams_; }

 private:
  Teams teams_;
  DeviceMemory runs_, slab_;
};

}  // namespace heddle
