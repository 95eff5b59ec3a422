// Whether a packet could be dropped in a window of a switch pass: then the window runs one packet at a time
// (per_packet.hpp). Also finds the accounts whose slots must be sampled.
#pragma once

#include "kernels/fabric/link_schedule.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/fabric/waiting.hpp"
#include "kernels/fabric/watchdog.hpp"
#include "kernels/state/plain.hpp"

namespace heddle {

/// The risk of a window whose arrivals are routed and counted in the scratch.
template <class Team>
class LossRisk {
 public:
  HEDDLE_FN explicit LossRisk(const SwitchContext<Team>& context)
      : context_(context),
        team_(context.team),
        v_(context.v),
        s_(context.s),
        x_(context.x),
        first_link_(context.first_link) {}

  /// Sets SwitchScratch::per_packet if a packet could be dropped before `to`, the end of the window.
  HEDDLE_FN void find(TimePs to) const {
    if (s_.limited_mask != 0) find_full_queues();
    context_.for_listed(pfc_classes_of<Team>(s_),
                        [&](u32 i, u32 p, u32) { watch_account(i, i * pfc_classes_of<Team>(s_) + p); });
    if (has_watchdog<Team>(s_)) find_tripped();
    find_full_pools();
    if (links_fail<Team>(s_)) find_losses(to);
  }

 private:
  HEDDLE_FN void find_full_queues() const {
    context_.for_listed(classes_of<Team>(s_), [&](u32 i, u32 c, u32) {
      const u32 q = i * classes_of<Team>(s_) + c;
      if (x_.arriving[q] == 0) return;
      const u32 link = first_link_ + i;
      const u64 most = v_.queue[link * classes_of<Team>(s_) + c].bytes + x_.arriving[q];
      if (most > queue_limit_bytes(v_, link, c, x_.arriving[q])) *x_.per_packet = 1;
      if (!limit_is_dynamic(v_, link, c)) return;
      PoolState& pool = v_.pool_state[v_.ingress[link].pool];
      team_.add(pool.arriving_bytes, static_cast<u64>(x_.arriving[q]));
      pool.best_effort_arriving = 1;
    });
  }

  HEDDLE_FN void find_full_pools() const {
    team_.each(v_.first_pool[context_.end] - v_.first_pool[context_.node], [&](u32 i) {
      PoolState& pool = v_.pool_state[v_.first_pool[context_.node] + i];
      const Pool& limits = v_.pool_limits[v_.first_pool[context_.node] + i];
      if (pool.used_bytes + pool.arriving_bytes > limits.limit_bytes) *x_.per_packet = 1;
      if (pool.best_effort_arriving && pool.shared_used_bytes + pool.arriving_bytes > limits.shared_bytes)
        *x_.per_packet = 1;
      pool.arriving_bytes = 0;
      pool.best_effort_arriving = 0;
    });
  }

  /// A packet arrives for a queue that the watchdog keeps empty.
  HEDDLE_FN void find_tripped() const {
    context_.for_listed(pfc_classes_of<Team>(s_), [&](u32 i, u32 p, u32) {
      const bool tripped = v_.pause_reader[(first_link_ + i) * pfc_classes_of<Team>(s_) + p].paused == kTripped;
      if (tripped && x_.counted[i * classes_of<Team>(s_) + s_.pfc_class[p]] != 0) *x_.per_packet = 1;
    });
  }

  /// A port may pause its link while its own packets get lost: the PFC frame waits for the end of a packet that is on
  /// no wire.
  HEDDLE_RARE_FN void find_losses(TimePs to) const {
    context_.for_listed(pfc_classes_of<Team>(s_), [&](u32 i, u32 p, u32) {
      if (x_.watched[i * pfc_classes_of<Team>(s_) + p] && may_lose(v_, first_link_ + i, to)) *x_.per_packet = 1;
    });
  }

  HEDDLE_FN void watch_account(u32 i, u32 a) const {
    const IngressPort& port = v_.ingress[first_link_ + i];
    if (port.profile == kNone) return;
    const Account& account = v_.account[first_link_ * pfc_classes_of<Team>(s_) + a];
    const u64 most = static_cast<u64>(account.occupancy_bytes) + x_.arrived[a];
    if (most == 0 && !account.pausing) return;
    const u32 xoff = xoff_now(v_, port);
    if (account.pausing || most >= xoff) x_.watched[a] = 1;
    if (kWaitsInScratch<Team> && x_.watched[a] != 0) *x_.watching = 1;
    if (x_.arrived[a] == 0) return;
    const u32 least = account.pausing && account.level_at_pause_bytes < xoff ? account.level_at_pause_bytes : xoff;
    if (most > static_cast<u64>(least) + v_.ingress_profile[port.profile].headroom_bytes) *x_.per_packet = 1;
    if (port.pool != kNone) team_.add(v_.pool_state[port.pool].arriving_bytes, static_cast<u64>(x_.arrived[a]));
  }

  const SwitchContext<Team>& context_;
  const Team& team_;
  const View& v_;
  const Settings& s_;
  const ScratchOf<Team>& x_;
  const u32 first_link_;
};

}  // namespace heddle
