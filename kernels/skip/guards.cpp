#include "kernels/skip/guards.hpp"

#include <algorithm>

#include "kernels/congestion/controls.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/thresholds.hpp"
#include "kernels/routing/policies.hpp"

namespace heddle {
namespace {

/// Snapshots of what is larger than this would take more memory than runs should find missing.
constexpr u64 kMostEntities = u64{1} << 25;

/// Packets of one flow take one way, whenever they come.
bool is_plain_policy(const PolicyInfo& policy) { return !policy.divides_flows && !policy.samples_queues; }

bool any_slow(const View& v) {
  const auto is_slow = [](const Nic& nic) { return nic.slow.drain_ps_per_byte_q16 != 0; };
  return std::any_of(v.endpoint.nic, v.endpoint.nic + v.endpoints, is_slow);
}

/// Entries of a controller that begin to hold while the run goes on: no field knows when.
bool any_later_entries(const Routing& routing) {
  return std::ranges::any_of(routing.controller, [](const RouteEntries& entries) { return entries.from_ps > 0; });
}

u64 entities_of(const Model& model) {
  const View& v = model.view;
  u64 entities = u64{v.links} * v.settings.classes + v.endpoint.first_sender[v.endpoints] +
                 v.endpoint.first_receiver[v.endpoints] + model.messages;
  if (v.collective.jobs != 0) entities += u64{v.collective.first_lane[v.endpoints]} << v.collective.peers_log2;
  return entities;
}

/// The least XOFF of a port of `node` with this pool, had the pool never been fuller than it was at its fullest.
u64 least_xoff_bytes(const View& v, u32 node, u32 pool) {
  const PoolState& state = v.pool_state[pool];
  const u64 shared = v.pool_limits[pool].shared_bytes, used = static_cast<u64>(state.most_used_bytes);
  const u64 free = shared > used ? shared - used : 0;
  u64 least = ~u64{0};
  for (u32 l = v.first_link[node]; l < v.first_link[node + 1]; ++l) {
    const IngressPort& port = v.ingress[l];
    if (port.pool != pool || port.profile == kNone) continue;
    const IngressProfile& profile = v.ingress_profile[port.profile];
    const u64 dynamic = profile.reserve_bytes + ((profile.alpha_q16 * free) >> 16);
    least = std::min(least, profile.dynamic ? dynamic : profile.xoff_bytes);
  }
  return least;
}

}  // namespace

std::string why_never(const World& world, const Model& model) {
  const View& v = model.view;
  const Settings& s = v.settings;
  if (s.links_fail) return "links fail, and when they do depends on the time itself";
  if (s.roce.selective()) return "senders measure round trips, which selective repeat's low timeout follows";
  if (any_slow(v)) return "slow receivers look at their buffers at fixed instants";
  for (u32 node = 0; node < v.switches; ++node) {
    if (!is_plain_policy(routing_policies()[v.policy_of[node]]))
      return "the routing policy divides flows, or looks at queues";
  }
  if (any_later_entries(world.routing)) return "entries of a controller begin to hold at their own time";
  if (entities_of(model) > kMostEntities) return "the state is too large to be compared with itself";
  return "";
}

bool near_pause(const View& v) {
  for (u32 node = 0; node < v.nodes; ++node) {
    for (u32 pool = v.first_pool[node]; pool < v.first_pool[node + 1]; ++pool) {
      const i64 most = v.pool_state[pool].most_of_account_bytes;
      if (most != 0 && static_cast<u64>(most) >= least_xoff_bytes(v, node, pool)) return true;
    }
  }
  return false;
}

bool any_pause_change_due(const View& v, u32 parity) {
  for (u32 i = 0; i < v.links * v.settings.pfc_classes; ++i) {
    const u32 link = i / v.settings.pfc_classes, pfc_index = i % v.settings.pfc_classes;
    if (PauseTimeline(v, link, pfc_index, parity).next_change_ps() != kNever) return true;
  }
  return false;
}

void forget_most(const View& v) {
  for (u32 pool = 0; pool < v.first_pool[v.nodes]; ++pool)
    v.pool_state[pool].most_used_bytes = v.pool_state[pool].most_of_account_bytes = 0;
}

bool any_control_started(const View& v) {
  if (!v.settings.congestion.any()) return false;
  return CongestionControls::visit(v.settings.congestion.number, [&](auto tag) {
    using Control = typename decltype(tag)::Control;
    const auto* states = control_states<Control>(v);
    const u32 senders = v.endpoint.first_sender[v.endpoints];
    return std::any_of(states, states + senders, [](const auto& state) { return state.started(); });
  });
}

}  // namespace heddle
