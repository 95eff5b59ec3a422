// Where packets go on in the class of detours (MODEL.md, 7.11).
#pragma once

#include "kernels/routing/policy.hpp"
#include "kernels/state/plain.hpp"

namespace heddle {

/// The class in which a packet leaves switch `node` that came by port `in` in class c and leaves by port `out`.
template <class Team>
HEDDLE_FN u32 egress_class(const View& v, u32 node, u32 in, u32 c, u32 out) {
  if (!takes_detours<Team>(v.settings) || c != kDetouredClass) return c;
  return leads_down(v, node, in) || leads_down(v, node, out) ? c : v.settings.detour_class;
}

}  // namespace heddle
