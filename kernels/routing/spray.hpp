// Spraying: every packet takes its own path, so links are even and packets arrive out of order.
#pragma once

#include "kernels/routing/chance.hpp"

namespace heddle {

struct Spray : PlainPolicy {
  static constexpr PolicyParameter kParameters[] = {
      {.key = "by",
       .choices = "hash|round_robin",
       .help = "hash: by chance; round_robin: every ingress queue of a switch takes the next hops in turn",
       .source = "random packet spraying: Dixit et al., INFOCOM 2013; per-packet ECMP of switches"}};
  enum Value : u32 { kBy };
  enum By : i64 { kByHash, kRoundRobin };

  static constexpr PolicyInfo kInfo = {.name = "spray",
                                       .help = "every packet another of the equal next hops",
                                       .source = "Dixit et al., INFOCOM 2013; UEC 1.0",
                                       .parameters = kParameters,
                                       .multipath = true,
                                       .reorders = [](std::span<const i64>) { return true; }};

  /// State: the number of packets routed.
  static u32 state_words(const PolicyView& own, u32) { return own.value[kBy] == kRoundRobin ? 1 : 0; }

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const NextHops hops = at.next_hops();
    if (at.policy().value[kBy] == kByHash) return at.port(hops, index_of(arrival_chance(at), hops.count));
    const u32 first = index_of(ingress_chance(at), hops.count);  // ingresses start at different hops
    return at.port(hops, static_cast<u32>((first + (*at.state())++) % hops.count));
  }
};

}  // namespace heddle
