#include "host/check/errors/routes.hpp"

#include <fmt/format.h>

#include "host/check/errors/route_walk.hpp"

namespace heddle {
namespace {

/// Follows one explicit path from `src`; returns the problem, or "".
std::string explicit_path_problem(const World& world, EndpointId src, EndpointId dst, u32 path) {
  const Fabric& fabric = world.fabric;
  const std::string pair = fmt::format("explicit path {} from {} to {}", path, fabric.names[src], fabric.names[dst]);
  if (path == kNone) {
    return fmt::format("no explicit path from {} to {}: add the pair to routing.paths_file", fabric.names[src],
                       fabric.names[dst]);
  }
  NodeId at = world.routing.attach_switch[src];
  const u32 first = world.routing.path_first[path], end = world.routing.path_first[path + 1];
  for (u32 hop = 0; hop <= end - first; ++hop) {
    if (at == world.routing.attach_switch[dst]) return {};
    u32 i = first;
    while (i < end && world.routing.hops[i].node != at) ++i;
    if (i == end) return fmt::format("{} has no hop for {}, which it leads through", pair, fabric.names[at]);
    at = neighbour(fabric, at, world.routing.hops[i].port);
    if (at < fabric.endpoints) return fmt::format("{} ends at {}", pair, fabric.names[at]);
  }
  return pair + " runs in a circle";
}

std::vector<std::string> explicit_problems(const World& world, size_t limit) {
  std::vector<std::string> problems;
  for (const Qp& qp : world.traffic.qps) {
    for (const bool data : {true, false}) {
      const EndpointId src = data ? qp.src : qp.dst, dst = data ? qp.dst : qp.src;
      std::string problem = explicit_path_problem(world, src, dst, data ? qp.data_path : qp.control_path);
      if (!problem.empty()) problems.push_back(std::move(problem));
      if (problems.size() == limit) return problems;
    }
  }
  return problems;
}

}  // namespace

u32 hops_between(const World& world, EndpointId src_endpoint, EndpointId dst_endpoint) {
  const Routing& r = world.routing;
  const u32 src = address_of(world.fabric, src_endpoint, 0), dst = address_of(world.fabric, dst_endpoint, 0);
  NodeId at = r.attach_switch[src];
  for (u32 hops = 0; hops < 64; ++hops) {
    if (at == r.attach_switch[dst]) return hops;
    const std::span<const u16> ports = r.next_hops(at, r.group_of[dst]);
    if (ports.empty()) return kNone;
    at = neighbour(world.fabric, at, ports.front());
    if (at < world.fabric.endpoints) return kNone;
  }
  return kNone;
}

std::vector<std::string> routing_problems(const World& world, size_t limit) {
  if (world.routing.paths_are_given()) return explicit_problems(world, limit);
  std::vector<std::string> problems;
  RouteWalk walk(world);
  for (u32 group = 0; group < world.routing.table.groups && problems.size() < limit; ++group) {
    std::string problem = walk.check(group);
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace heddle
