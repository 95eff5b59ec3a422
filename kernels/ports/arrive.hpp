// Step 1 of a tick by ports: packets that arrive are routed, and wait in the bins of their egress queues.
#pragma once

#include "kernels/fabric/admission.hpp"
#include "kernels/fabric/switch_arrivals.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/fabric/thresholds.hpp"
#include "kernels/ports/bins.hpp"
#include "kernels/routing/route.hpp"

namespace heddle {

/// The ports of one word of a switch (View::first_port_word), by one team with scratch for as many.
template <class Team>
class BinnedArrivals {
 public:
  HEDDLE_FN BinnedArrivals(const Team& team, const View& v, const Bins& bins, const ScratchOf<Team>& scratch, u32 node,
                           u32 word, u32 parity)
      : context_(team, v, scratch, node, node + 1, parity, v.port_word_link[word]),
        team_(team),
        v_(v),
        bins_(bins),
        x_(scratch),
        node_(node),
        word_(word),
        first_port_(v.port_word_link[word] - v.first_link[node]) {}

  /// Puts all that arrives in [from, to) into bins, and finds out whether the switch must go the general way. Changes
  /// nothing but the bins.
  HEDDLE_FN void run(TimePs from, TimePs to) const {
    team_.each(1, [&](u32) { *x_.listed = 0; });
    team_.bits(v_.port_active + word_, 1, [&](u32, u32 bit) {
      if (v_.port_next_ps[context_.first_link + bit] < to) x_.list[team_.add(*x_.listed, 1u)] = bit;
    });
    if (*x_.listed == 0) return;
    team_.each(1, [&](u32) {
      *x_.sources = *x_.listed;
      global_or(bins_.status[context_.parity][node_], kSwitchDue);
    });
    const SwitchArrivals<Team> arrivals(context_);
    arrivals.count(to);
    team_.items(
        x_.due, *x_.listed * kPlainClasses, [&](u32 x) { return arrivals.source(x); },
        [&](const auto& in, u32 j, u32) { put(in, in.ring.at(in.head + j), from); });
    team_.each(*x_.listed, [&](u32 y) { look_at_account(y, from); });
  }

 private:
  HEDDLE_FN void go_general() const { global_or(bins_.status[context_.parity][node_], kSwitchGeneral); }

  /// Puts the packet at pool entry `entry`, which arrives by `in`, into the bin of its queue.
  template <class Source>
  HEDDLE_FN void put(const Source& in, u32 entry, TimePs from) const {
    const Packet packet = v_.pool.packet[entry];
    const TimePs t = v_.pool.time_ps[entry];
    const u32 link = route(v_, node_, packet, context_.first_link + in.port, t, team_.tally());
    const u32 q = link * kPlainClasses + in.c, held = held_bytes(packet.frame_bytes(), in.cell_bytes);
    const u32 place = team_.add(bins_.count[q], 1u);
    const u64 bytes = u64{team_.add(bins_.bytes[q], held)} + held;
    if (place >= bins_.packets || exceeds_limit(link, in.c, q, bytes)) return go_general();
    bins_.key[u64{q} * bins_.packets + place] =
        static_cast<u64>(t - from) << 36 | static_cast<u64>(first_port_ + in.port) << 24;
    bins_.source[u64{q} * bins_.packets + place] = entry;
    if (in.account != kNone) team_.add(x_.arrived[in.account], held);
  }

  HEDDLE_FN bool exceeds_limit(u32 link, u32 c, u32 q, u64 bytes) const {
    return ((v_.settings.limited_mask >> c) & 1) != 0 &&
           v_.queue[q].bytes + bytes > queue_limit_bytes(v_, link, c, bytes);
  }

  /// Notes what port y of the list takes, and whether its account may pause or its pool may overflow.
  HEDDLE_FN void look_at_account(u32 y, TimePs from) const {
    const u32 i = x_.list[y], link = context_.first_link + i;
    for (u32 c = 0; c < kPlainClasses; ++c) {
      const u32 x = y * kPlainClasses + c;
      bins_.taken[link * kPlainClasses + c] = x_.due[x + 1] - x_.due[x];
    }
    const u32 arrived = x_.arrived[i];
    bins_.arrived[link] = arrived;
    x_.arrived[i] = 0;
    const IngressPort& port = v_.ingress[link];
    if (port.profile == kNone) return;
    const Account& account = v_.account[link];
    const u64 most = u64{account.occupancy_bytes} + arrived;
    if (account.pausing || (most != 0 && most >= xoff_from(v_, port, from))) go_general();
    if (arrived == 0 || port.pool == kNone) return;
    const u64 arriving = team_.add(bins_.arriving_bytes[context_.parity][port.pool], u64{arrived}) + arrived;
    if (v_.pool_state[port.pool].used_bytes + arriving > v_.pool_limits[port.pool].limit_bytes) go_general();
  }

  const SwitchContext<Team> context_;
  const Team& team_;
  const View& v_;
  const Bins& bins_;
  const ScratchOf<Team>& x_;
  const u32 node_, word_;
  const u32 first_port_;  // of the word, in the switch
};

}  // namespace heddle
