// A fabric that deadlocks.
#pragma once

#include "tests/oracle/tiny_world.hpp"

namespace heddle {

/// Three switches in a ring with two hosts each; every host sends to the switch after the next, clockwise only. Every
/// link of the ring then waits for the one after it: a cyclic buffer dependency.
inline World ring_of_three() {
  World w = oracle::tiny_fabric(6, 3, {{0, 6}, {1, 6}, {2, 7}, {3, 7}, {4, 8}, {5, 8}, {6, 7}, {7, 8}, {8, 6}});
  w.fabric.ingress[0] = {false, 50'000, 40'000, 300'000, 0};
  Routing& r = w.routing;
  r.table.groups = 3;
  r.first_switch = 6;
  r.group_of = {0, 0, 1, 1, 2, 2};
  r.attach_switch = {6, 6, 7, 7, 8, 8};
  r.attach_port = {0, 1, 0, 1, 0, 1};
  r.table.sets = {{0, 1}, {1, 1}};
  r.table.ports = {2, 3};  // switch 6 forwards by port 2, the others by port 3
  r.table.row_of = {0, 1, 2};
  r.table.set_of = {kNone, 0, 0, 1, kNone, 1, 1, 1, kNone};
  for (u32 src = 0; src < 6; ++src) {
    const QpId qp = oracle::add_qp(w, src, (src + 4) % 6, {});
    w.traffic.messages.push_back({qp, 10'000'000, 0});
  }
  return w;
}

}  // namespace heddle
