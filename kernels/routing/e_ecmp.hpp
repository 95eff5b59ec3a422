// E-ECMP: ECMP whose hash sees the destination QP too, so that the queue pairs of one pair of NICs spread.
#pragma once

#include "kernels/routing/hash.hpp"

namespace heddle {

struct EEcmp : PlainPolicy {
  static constexpr PolicyInfo kInfo = {.name = "e_ecmp",
                                       .help = "and of the destination QP",
                                       .source = "Meta SIGCOMM'24; FBOSS (UDF at 13 B, 3 B, UDP port 4791)"};

  HEDDLE_FN static u32 choose(const RouteSite& at) {
    const NextHops hops = at.next_hops();
    if (hops.count == 1) return at.port(hops, 0);
    const u64 h = absorb(five_tuple_hash(at.v, at.node, at.packet), at.packet.dst_qp());
    return at.port(hops, index_of_hash(h, hops.count));
  }
};

}  // namespace heddle
