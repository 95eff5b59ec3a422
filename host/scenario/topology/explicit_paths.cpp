#include "host/scenario/topology/explicit_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "host/base/error.hpp"
#include "host/scenario/topology/topology.hpp"

namespace heddle {
namespace {

struct PathPair {
  u32 data = kNone, control = kNone;
};

class PathBuilder {
 public:
  PathBuilder(const PlainTopology* imported, World& world) : world_(world) {
    if (imported != nullptr) ids_ = node_ids_of(*imported);
    world_.routing.path_first.assign(1, 0);
    world_.routing.hops.clear();
  }

  NodeId node(u32 id, u32 line) const {
    const u64 known = ids_.empty() ? world_.fabric.nodes.size() : ids_.size();
    if (id >= known || (!ids_.empty() && ids_[id] == kNone)) {
      throw ConfigError(
          fmt::format("routing.paths_file, line {}: node {} does not exist; the fabric has {} nodes", line, id, known));
    }
    return ids_.empty() ? id : ids_[id];
  }

  /// Adds the switches of one direction; returns the path's number.
  u32 add(const std::vector<u32>& listed, NodeId src, NodeId dst, const char* column, u32 line) {
    if (listed.size() < 3 || node(listed.front(), line) != src || node(listed.back(), line) != dst) {
      throw ConfigError(
          fmt::format("routing.paths_file, line {}, {}: must list every node from {} to {}, both included", line,
                      column, world_.fabric.names[src], world_.fabric.names[dst]));
    }
    Routing& routing = world_.routing;
    const u64 first = routing.hops.size();
    egress_port(src, node(listed[1], line), line);
    for (u64 i = 1; i + 1 < listed.size(); ++i) {
      const NodeId at = node(listed[i], line);
      const auto known = [&](const Routing::Hop& hop) { return hop.node == at; };
      if (std::any_of(routing.hops.begin() + static_cast<i64>(first), routing.hops.end(), known)) {
        throw ConfigError(fmt::format("routing.paths_file, line {}, {}: {} comes twice; packets would circle", line,
                                      column, world_.fabric.names[at]));
      }
      routing.hops.push_back({at, egress_port(at, node(listed[i + 1], line), line)});
    }
    routing.path_first.push_back(static_cast<u32>(routing.hops.size()));
    return static_cast<u32>(routing.path_first.size() - 2);
  }

 private:
  u32 egress_port(NodeId from, NodeId to, u32 line) const {
    const Node& node = world_.fabric.nodes[from];
    for (u32 port = 0; port < node.ports; ++port) {
      if (world_.fabric.links[node.first_link + port].dst == to) return port;
    }
    throw ConfigError(
        fmt::format("routing.paths_file, line {}: {} and {} have no link; the file belongs to another "
                    "topology, or a node is missing",
                    line, world_.fabric.names[from], world_.fabric.names[to]));
  }

  World& world_;
  std::vector<NodeId> ids_;
};

u64 pair_key(u32 src, u32 dst) { return (static_cast<u64>(src) << 32) | dst; }

}  // namespace

void add_explicit_paths(std::span<const PlainPath> paths, const PlainTopology* imported, World& world) {
  PathBuilder builder(imported, world);
  std::unordered_map<u64, PathPair> of_pair;
  for (const PlainPath& path : paths) {
    const NodeId src = builder.node(path.src, path.line), dst = builder.node(path.dst, path.line);
    PathPair pair;
    pair.data = builder.add(path.data, src, dst, "data_path", path.line);
    pair.control = builder.add(path.ack, dst, src, "ack_path", path.line);
    if (!of_pair.try_emplace(pair_key(src, dst), pair).second) {
      throw ConfigError(fmt::format("routing.paths_file, line {}: the pair {} -> {} is given a second time", path.line,
                                    path.src, path.dst));
    }
  }
  for (Qp& qp : world.traffic.qps) {
    const auto found = of_pair.find(pair_key(qp.src, qp.dst));
    if (found == of_pair.end()) {
      throw ConfigError(fmt::format("routing.paths_file: no path for {} -> {}, which the workload uses; add a line",
                                    world.fabric.names[qp.src], world.fabric.names[qp.dst]));
    }
    qp.data_path = found->second.data;
    qp.control_path = found->second.control;
  }
}

}  // namespace heddle
