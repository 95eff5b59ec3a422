// Weighted ECMP (WCMP): flows in proportion to the weights of the next hops' links, by default their speeds.
#pragma once

#include <vector>

#include "kernels/routing/hash.hpp"

namespace heddle {

struct Weighted : PlainPolicy {
  static constexpr PolicyInfo kInfo = {.name = "weighted",
                                       .help = "hash of the five-tuple, in proportion to link speeds or weights_file",
                                       .source = "WCMP: Zhou et al., EuroSys 2014; BGP link bandwidth (UCMP)",
                                       .weighs_links = true};

  /// Indices of PolicyView::table.
  enum Table : u32 { kWeight };  // [local link]

  static void set_up(const World& world, Model& model, PolicyView& own) {
    const View& v = model.view;
    const std::vector<u32>& given = world.routing.link_weight;
    std::vector<u32> weight(v.first_link[v.switches], 1);
    for (u32 n = 0; n < v.switches && !given.empty(); ++n) {
      for (u32 l = v.first_link[n]; l < v.first_link[n + 1]; ++l)
        weight[l] = given[world.fabric.nodes[v.node_id[n]].first_link + l - v.first_link[n]];
    }
    model.arrays.add_plan(model.view, own.table[kWeight], "weight of link", weight);
  }

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const NextHops hops = at.next_hops();
    const u32* weight = at.policy().table[kWeight] + at.v.first_link[at.node];
    u64 sum = 0;
    for (u32 i = 0; i < hops.count; ++i) sum += weight[at.port(hops, i)];
    if (sum == 0) return at.port(hops, flow_index(at, false, hops.count));
    u64 drawn = flow_index(at, false, sum);
    for (u32 i = 0;; ++i) {
      const u32 own = weight[at.port(hops, i)];
      if (drawn < own) return at.port(hops, i);
      drawn -= own;
    }
  }
};

}  // namespace heddle
