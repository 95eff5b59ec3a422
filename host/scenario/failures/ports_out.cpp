#include "host/scenario/failures/ports_out.hpp"

#include <set>
#include <vector>

#include "host/scenario/failures/outages.hpp"

namespace heddle {
namespace {

u8 ports_covered(const std::vector<Outages>& ports, std::vector<Interval> Outages::*intervals, TimePs t) {
  u32 covered = 0;
  for (u32 p = 0; p < ports.size(); ++p) covered |= covers(ports[p].*intervals, t) ? 1u << p : 0;
  return static_cast<u8>(covered);
}

}  // namespace

void add_ports_out(TimePs detect_ps, TimePs converge_ps, World& world) {
  Failures& failures = world.failures;
  const Fabric& fabric = world.fabric;
  if (fabric.nic_ports == 1) return;
  std::vector<u32> first = {0};
  for (EndpointId e = 0; e < fabric.endpoints; ++e) {
    std::vector<Outages> ports;
    std::set<TimePs> instants;
    for (u32 p = 0; p < fabric.nic_ports; ++p) {
      ports.push_back(outages_of(world, fabric.nodes[e].first_link + p, detect_ps, converge_ps));
      for (const auto intervals : {&Outages::near, &Outages::far}) {
        for (const Interval& i : ports.back().*intervals) instants.insert({i.from_ps, i.until_ps});
      }
    }
    instants.erase(kNever);
    for (const TimePs t : instants)
      failures.ports_out.push_back(
          {t, ports_covered(ports, &Outages::near, t), ports_covered(ports, &Outages::far, t)});
    first.push_back(static_cast<u32>(failures.ports_out.size()));
  }
  if (!failures.ports_out.empty()) failures.ports_out_first = std::move(first);
}

}  // namespace heddle
