// All of the simulated state, in one order.
#pragma once

#include "kernels/restart/node_fields.hpp"

namespace heddle {

/// Hands every field of a World that one process has to `a`; `sums` are those over all workers.
template <class A>
void walk_state(A& a, const Model& model, u32 parity, Tally& sums) {
  const View& v = model.view;
  sum_fields(a, model, sums);
  for (u32 node = 0; node < v.nodes; ++node) node_fields(a, v, node, parity);
  for (u32 l = 0; l < v.links; ++l) link_fields(a, v, l, parity);
}

}  // namespace heddle
