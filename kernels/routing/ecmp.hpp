// ECMP: a hash of the five-tuple chooses among the equal next hops.
#pragma once

#include "kernels/routing/hash.hpp"

namespace heddle {

struct Ecmp : PlainPolicy {
  static constexpr PolicyInfo kInfo = {
      .name = "ecmp", .help = "hash of the five-tuple", .source = "Meta SIGCOMM'24, section 5.1"};

  HEDDLE_FN static u32 choose(const RouteSite& at) {
    const NextHops hops = at.next_hops();
    const u32 index = hops.count == 1 ? 0 : index_of_hash(five_tuple_hash(at.v, at.node, at.packet), hops.count);
    return at.port(hops, index);
  }
};

}  // namespace heddle
