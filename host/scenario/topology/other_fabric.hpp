// [[fabric]]: one more network of the same servers, such as a frontend.
#pragma once

#include <array>
#include <string>

#include "host/scenario/topology/topology.hpp"

namespace heddle {

/// Its hosts are CPU NICs of the servers, then storage servers. Classes, [pfc] and [ecn] are those of all fabrics.
struct OtherFabricOptions {
  std::string name;
  u32 storage_hosts = 0;
  FabricOptions fabric;    // but for `pfc` and `ecn`
  RoutingOptions routing;  // the policies of its tiers alone
};

inline const std::array kOtherFabricParameters = {
    Parameter<OtherFabricOptions>{.key = "name",
                                  .field = &OtherFabricOptions::name,
                                  .help = "begins the names of its nodes and tiers: \"frontend\" has frontend.cpu0, "
                                          "frontend.leaf0; messages name it",
                                  .source = "to be given"},
    Parameter<OtherFabricOptions>{.key = "storage_hosts",
                                  .field = &OtherFabricOptions::storage_hosts,
                                  .max = 1048575,
                                  .help =
                                      "so many of its hosts, the last ones, are storage servers; all others are CPU "
                                      "NICs of servers",
                                  .source = "engineering judgement"},
};

/// Adds a fabric to those of `world.fabric`, whose classes, clocks and packet sizes are set; `empty_messages` as for
/// build_fabric. Routes are not made here. Throws ConfigError, which begins with "fabric.INDEX".
void add_fabric(const OtherFabricOptions& options, u32 index, bool empty_messages, World& world);

/// The fabric with this name; nullptr: there is none. "" is the first one, for which there is no entry either.
const OtherFabric* find_fabric(const Fabric& fabric, std::string_view name);

}  // namespace heddle
