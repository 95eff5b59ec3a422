// All of the simulated state that one engine has, in one order.
#pragma once

#include "kernels/restart/node_fields.hpp"

namespace heddle {

/// Hands every field to `a`: of the nodes of this part of a World, and of the wires that end at them. `sums` are those
/// over all workers.
template <class A>
void walk_state(A& a, const Model& model, u32 parity, Tally& sums) {
  const View& v = model.view;
  sum_fields(a, model, sums);
  for (u32 node = 0; node < v.nodes; ++node) node_fields(a, v, node, parity);
  for (u32 own = 0; own < v.first_link[v.nodes]; ++own) link_fields(a, v, v.egress[own].reverse, parity);
}

}  // namespace heddle
