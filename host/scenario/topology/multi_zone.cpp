// Several AI Zones under a layer of ATSWs, as in Llama 3's 24K cluster (3.3.1).
#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/topology/zones.hpp"

namespace heddle {

Graph build_multi_zone(const GraphInput& input) {
  const TopologyOptions& o = input.topology;
  if (o.atsws == 0 || o.uplinks_per_ctsw == 0) {
    throw ConfigError("topology: multi_zone needs atsws and uplinks_per_ctsw of at least 1; for one zone take ai_zone");
  }
  const ZoneLayout layout{.zones = o.zones, .racks = o.racks, .gpus_per_rack = o.gpus_per_rack, .ctsws = o.ctsws};
  Graph graph = build_zones(input, layout);
  for (u32 a = 0; a < o.atsws; ++a) graph.nodes.push_back({kAtsw, 0, fmt::format("atsw{}", a)});
  for (u32 zone = 0; zone < o.zones; ++zone) {
    for (u32 c = 0; c < o.ctsws; ++c) {
      for (u32 up = 0; up < o.uplinks_per_ctsw; ++up) {
        // By the CTSW's number in its zone, not by zone: CTSW c of every zone connects to the same ATSWs (planes).
        const u32 index = static_cast<u32>((static_cast<u64>(c) * o.uplinks_per_ctsw + up) % o.atsws);
        graph.cables.push_back({layout.ctsw(zone, c), layout.atsw(index), input.link.ctsw_atsw_bits_per_s,
                                input.link.ctsw_atsw_propagation_ps});
      }
    }
  }
  return graph;
}

}  // namespace heddle
