// Routing as plain tables (README.md, section 7). Static policies differ in tables and hash fields and share one
// look-up.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

enum class RoutingPolicy : u8 {
  ecmp = 0,            // hash of the five-tuple
  e_ecmp = 1,          // and of the destination QP
  explicit_paths = 2,  // every QP's packets follow the path given for it
};

/// Equal next hops of a switch, in port order: ports [first, first + count) of Routing::ports.
struct NextHops {
  u32 first = 0, count = 0;
};

struct Routing {
  RoutingPolicy policy = RoutingPolicy::ecmp;
  bool common_seed = false;           // one hash for all switches: shows polarisation
  u32 groups = 0;                     // endpoints behind one switch form a group
  std::vector<u32> group_of;          // [endpoint] -> group
  std::vector<NodeId> attach_switch;  // [endpoint] -> the switch its NIC hangs on
  std::vector<u32> attach_port;       // [endpoint] -> port of that switch
  std::vector<u32> table;             // [(switch - endpoints) * groups + group] -> index in sets, kNone: unreachable
  std::vector<NextHops> sets;
  std::vector<u16> ports;
  // explicit paths: hops [path_first[p], path_first[p+1]) of (switch, egress port)
  struct Hop {
    NodeId node;
    u32 port;
  };
  std::vector<u32> path_first;
  std::vector<Hop> hops;
};

}  // namespace heddle
