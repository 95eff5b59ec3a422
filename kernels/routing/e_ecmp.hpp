// E-ECMP: ECMP whose hash includes the destination QP, so that the queue pairs of one pair of NICs spread.
#pragma once

#include "kernels/routing/hash.hpp"

namespace heddle {

struct EEcmp : PlainPolicy {
  static constexpr PolicyInfo kInfo = {.name = "e_ecmp",
                                       .help = "and of the destination QP",
                                       .source = "Meta SIGCOMM'24; FBOSS (UDF at 13 B, 3 B, UDP port 4791)",
                                       .hashes_qps = true};

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const NextHops hops = at.next_hops();
    return at.port(hops, hops.count == 1 ? 0 : flow_index(at, true, hops.count));
  }
};

}  // namespace heddle
