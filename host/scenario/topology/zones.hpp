// The parts common to ai_zone and multi_zone: zones of racks, RTSWs and CTSWs.
#pragma once

#include "host/scenario/topology/registry.hpp"
#include "host/scenario/topology/zone_tiers.hpp"

namespace heddle {

/// Node numbers of a fabric of `zones` equal AI Zones: all endpoints, then all RTSWs, then all CTSWs, then ATSWs.
struct ZoneLayout {
  u32 zones = 1, racks = 0, gpus_per_rack = 0, ctsws = 0;

  u32 endpoints() const { return zones * racks * gpus_per_rack; }
  NodeId rtsw(u32 zone, u32 rack) const { return endpoints() + zone * racks + rack; }
  NodeId ctsw(u32 zone, u32 index) const { return endpoints() + zones * racks + zone * ctsws + index; }
  NodeId atsw(u32 index) const { return endpoints() + zones * (racks + ctsws) + index; }
};

/// Endpoints, RTSWs and CTSWs of every zone with their cables. Throws ConfigError on impossible dimensions.
Graph build_zones(const GraphInput& input, const ZoneLayout& layout);

}  // namespace heddle
