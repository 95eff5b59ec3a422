// Worlds for the tests of topology and workload.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "host/scenario/topology/clocks.hpp"
#include "host/scenario/topology/topology.hpp"
#include "host/scenario/workload/workload.hpp"
#include "kernels/world/fabric_parameters.hpp"
#include "tests/thrown.hpp"

namespace heddle::testing_worlds {

/// A world with the model's classes and grids, and no fabric yet.
inline World blank_world() {
  World world;
  world.clocks = sampling_clocks({});
  for (u32 c = 0; c < 3; ++c) world.fabric.classes.push_back(default_class(c));
  return world;
}

inline World world_of(const FabricOptions& options, const PlainTopology* imported = nullptr) {
  World world = blank_world();
  build_topology(options, {}, imported, world);
  return world;
}

/// How many nodes each tier has.
inline std::map<Tier, u32> nodes_of(const World& world) {
  std::map<Tier, u32> nodes;
  for (const Node& node : world.fabric.nodes) ++nodes[node.tier];
  return nodes;
}

inline FabricOptions star_options(u32 hosts) {
  FabricOptions options;
  options.topology.kind = "star";
  options.topology.hosts = hosts;
  return options;
}

/// 4 racks x 4 GPUs, 2 CTSWs, 4 uplinks (two parallel links to each CTSW).
inline FabricOptions small_zone_options() {
  FabricOptions options;
  options.topology.kind = "ai_zone";
  options.topology.racks = 4;
  options.topology.gpus_per_rack = 4;
  options.topology.ctsws = 2;
  options.topology.uplinks_per_rtsw = 4;
  return options;
}

/// 2 zones of 2 racks x 2 GPUs and 2 CTSWs, 2 ATSWs.
inline FabricOptions small_multi_zone_options() {
  FabricOptions options;
  options.topology.kind = "multi_zone";
  options.topology.zones = 2;
  options.topology.racks = 2;
  options.topology.gpus_per_rack = 2;
  options.topology.ctsws = 2;
  options.topology.uplinks_per_rtsw = 2;
  options.topology.atsws = 2;
  options.topology.uplinks_per_ctsw = 2;
  return options;
}

/// The message of the ConfigError that `f` throws; empty when it throws none.
inline std::string config_error_of(const std::function<void()>& f) { return test::message_of<std::runtime_error>(f); }

}  // namespace heddle::testing_worlds
