// Contents of records: the state of a node, the packets on a link, and the sums over a run.
#pragma once

#include "kernels/restart/endpoint_fields.hpp"
#include "kernels/restart/port_fields.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

template <class A>
void node_fields(A& a, const View& v, u32 node, u32 parity) {
  for (u32 p = v.first_pool[node]; p < v.first_pool[node + 1]; ++p) fields(a, v.pool_state[p]);
  for (u32 l = v.first_link[node]; l < v.first_link[node + 1]; ++l) port_fields(a, v, l, parity);
  if (node >= v.switches) endpoint_fields(a, v, node - v.switches, parity);
}

/// The packets on link `l`, by class.
template <class A>
void link_fields(A& a, const View& v, u32 l, u32 parity) {
  for (u32 c = 0; c < v.settings.classes; ++c) wire_fields(a, v, l * v.settings.classes + c, parity);
}

template <class A>
void sum_fields(A& a, const Model& model, Tally& tally) {
  fields(a, tally);
  for (u32 i = 0; i < model.collectives; ++i) fields(a, model.view.collective.log[i]);
  for (u32 i = 0; i < model.iterations; ++i) fields(a, model.view.collective.programs.log[i]);
}

}  // namespace heddle
