// Explicit paths: every queue pair's packets follow the path given for it, to replay other simulators.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/routing/policy.hpp"

namespace heddle {

struct ExplicitPaths : PlainPolicy {
  static constexpr PolicyInfo kInfo = {.name = "explicit",
                                       .help = "the paths of paths_file",
                                       .source = "replays of other simulators' runs",
                                       .follows_paths = true};

  /// Indices of PolicyView::table.
  enum Table : u32 {
    kDataFirst,     // [global endpoint + 1] into kData, by receiver number
    kData,          // -> path
    kControlFirst,  // the same for packets towards the sender, by sender number
    kControl,
    kPathFirst,  // [paths + 1] into kHops
    kHops,       // local switch, port; local switch, port; ...
  };

  static void set_up(const World& world, Model& model, PolicyView& own) {
    const Routing& r = world.routing;
    std::vector<u32> hops;
    for (const Routing::Hop& hop : r.hops) hops.insert(hops.end(), {model.local_node[hop.node], hop.port});
    model.arrays.add_plan(model.view, own.table[kPathFirst], "path first", r.path_first);
    model.arrays.add_plan(model.view, own.table[kHops], "path hops", hops);
    add_paths(world, model, own, true);
    add_paths(world, model, own, false);
  }

  /// Paths were checked when they were set up.
  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const PolicyView& own = at.policy();
    const bool data = goes_with_data(at.packet.kind());
    const u32* first = own.table[data ? kDataFirst : kControlFirst];
    const u32* paths = own.table[data ? kData : kControl];
    const u32 path = paths[first[at.packet.dst()] + at.packet.dst_qp()];
    const u32* hops = own.table[kHops];
    for (u32 i = own.table[kPathFirst][path]; i < own.table[kPathFirst][path + 1]; ++i) {
      if (hops[2 * i] == at.node) return hops[2 * i + 1];
    }
    return 0;
  }

 private:
  /// Adds one table from (endpoint, its receiver or sender number) to a path.
  static void add_paths(const World& world, Model& model, PolicyView& own, bool data) {
    const u32 endpoints = world.fabric.endpoints;
    std::vector<u32> first(endpoints + 1, 0);
    for (const Qp& qp : world.traffic.qps) {
      const u32 e = data ? qp.dst : qp.src;
      const u32 number = data ? qp.receiver_number : qp.sender_number;
      first[e + 1] = std::max(first[e + 1], number + 1);
    }
    for (u32 e = 0; e < endpoints; ++e) first[e + 1] += first[e];
    std::vector<u32> path(first[endpoints], 0);
    for (const Qp& qp : world.traffic.qps) {
      const u32 p = data ? qp.data_path : qp.control_path;
      if (p == kNone) {
        throw std::invalid_argument("routing: explicit paths are asked for, but the queue pair from endpoint " +
                                    std::to_string(qp.src) + " to " + std::to_string(qp.dst) + " has none");
      }
      path[first[data ? qp.dst : qp.src] + (data ? qp.receiver_number : qp.sender_number)] = p;
    }
    model.arrays.add_plan(model.view, own.table[data ? kDataFirst : kControlFirst],
                          data ? "data path first" : "control path first", first);
    model.arrays.add_plan(model.view, own.table[data ? kData : kControl], data ? "data paths" : "control paths", path);
  }
};

}  // namespace heddle
