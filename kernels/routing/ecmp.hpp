// ECMP: a hash of the five-tuple chooses among the equal next hops.
#pragma once

#include "kernels/routing/hash.hpp"

namespace heddle {

struct Ecmp : PlainPolicy {
  static constexpr PolicyInfo kInfo = {
      .name = "ecmp", .help = "hash of the five-tuple", .source = "Meta SIGCOMM'24, section 5.1"};

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const NextHops hops = at.next_hops();
    return at.port(hops, hops.count == 1 ? 0 : flow_index(at, false, hops.count));
  }
};

}  // namespace heddle
