// Flowlets: a flow that has paused for longer than the delays of paths differ may take another path and stay in order.
#pragma once

#include "kernels/routing/chance.hpp"
#include "kernels/routing/flowlets.hpp"

namespace heddle {

struct Flowlet : PlainPolicy {
  static constexpr PolicyParameter kParameters[] = {kFlowletGap, kFlowletEntries};
  enum Value : u32 { kGap, kEntries };

  static constexpr PolicyInfo kInfo = {.name = "flowlet",
                                       .help = "by chance, again after every gap of a flow",
                                       .source = "Vanini et al., NSDI 2017 (LetFlow)",
                                       .parameters = kParameters,
                                       .multipath = true};

  static u32 state_words(const PolicyView& own, u32) {
    return FlowletTable::words(static_cast<u32>(own.value[kEntries]));
  }

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const PolicyView& own = at.policy();
    const NextHops hops = at.next_hops();
    FlowletTable flowlet(at, at.state(), static_cast<u32>(own.value[kEntries]), own.value[kGap]);
    const u32 chance = flowlet.fresh() ? arrival_chance(at) : flowlet.choice();
    const u32 port = at.port(hops, index_of(chance, hops.count));
    flowlet.note(chance, port);
    return port;
  }
};

}  // namespace heddle
