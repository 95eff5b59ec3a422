// Step 3 of a tick by ports: accounts and pools are settled, wires give up what was taken, and every port decides when
// it next has something to do. Bins are empty afterwards.
#pragma once

#include "kernels/fabric/rest.hpp"
#include "kernels/fabric/switch_accounts.hpp"
#include "kernels/ports/bins.hpp"

namespace heddle {

/// Ports of one word of a switch, which goes the general way or not.
template <class Team>
class SettledPorts {
 public:
  HEDDLE_FN SettledPorts(const Team& team, const View& v, const Bins& bins, u32 node, u32 word, u32 parity)
      : team_(team),
        v_(v),
        bins_(bins),
        node_(node),
        word_(word),
        first_port_(v.port_word_link[word] - v.first_link[node]),
        parity_(parity) {}

  /// Settles a tick up to `to`, of a switch that does not go the general way. Lowers `next_ps` to the ports' next
  /// event.
  HEDDLE_FN void run(TimePs to, TimePs& next_ps) const {
    team_.for_each_divergent(ports(), [&](u32 n) {
      const u32 port = first_port_ + n, link = v_.first_link[node_] + port;
      const bool due = v_.port_next_ps[link] < to;
      if (due) {
        settle_account(link);
        if (take(link)) team_.mark(v_.port_published[word_], u64{1} << n);
      }
      const u32 arrived = bins_.count[link * kPlainClasses] + bins_.count[link * kPlainClasses + 1];
      const bool active = due || arrived != 0 || ((global_load(v_.port_active[word_]) >> n) & 1) != 0;
      if (due || arrived != 0) decide_port(team_, v_, node_, port, link, to, parity_);
      if (active) team_.lower(next_ps, v_.port_next_ps[link]);
      empty(link);
    });
  }

  /// Empties the bins of a switch that goes the general way.
  HEDDLE_FN void empty_all() const {
    team_.each(ports(), [&](u32 n) { empty(v_.first_link[node_] + first_port_ + n); });
  }

 private:
  HEDDLE_FN u32 ports() const {
    const u32 left = v_.first_link[node_ + 1] - v_.first_link[node_] - first_port_;
    return left < 64 ? left : 64;
  }

  HEDDLE_FN void empty(u32 link) const {
    for (u32 q = link * kPlainClasses; q < (link + 1) * kPlainClasses; ++q) bins_.count[q] = bins_.bytes[q] = 0;
    bins_.released[link] = 0;
  }

  HEDDLE_FN void settle_account(u32 link) const {
    const IngressPort& port = v_.ingress[link];
    const u32 arrived = bins_.arrived[link], released = bins_.released[link];
    if (port.profile == kNone || (arrived | released) == 0) return;
    Account& account = v_.account[link];
    const u64 shared_before = shared_part_bytes(v_.ingress_profile[port.profile], account);
    account.occupancy_bytes += arrived - released;
    settle_pool(team_, v_, port, account, arrived, released, shared_before);
  }

  /// Advances the read positions of the wire into a port. Returns whether anything was taken.
  HEDDLE_FN bool take(u32 link) const {
    u32 all = 0;
    for (u32 c = 0; c < kPlainClasses; ++c) {
      const u32 n = bins_.taken[link * kPlainClasses + c];
      if (n != 0) v_.head[parity_ ^ 1][v_.egress[link].reverse * kPlainClasses + c] += n;
      all += n;
    }
    return all != 0;
  }

  const Team& team_;
  const View& v_;
  const Bins& bins_;
  const u32 node_, word_;
  const u32 first_port_;  // of the word, in the switch
  const u32 parity_;
};

}  // namespace heddle
