// One AI Zone: a two-stage Clos of RTSWs (racks) and CTSWs (spines). Meta SIGCOMM'24.
#include "host/scenario/topology/zones.hpp"

namespace heddle {

Graph build_ai_zone(const GraphInput& input) {
  const TopologyOptions& o = input.topology;
  return build_zones(input, {.zones = 1, .racks = o.racks, .gpus_per_rack = o.gpus_per_rack, .ctsws = o.ctsws});
}

}  // namespace heddle
