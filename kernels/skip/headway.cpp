#include "kernels/skip/headway.hpp"

#include <algorithm>

#include "kernels/collective/taken_ctss.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/transport/streams.hpp"

namespace heddle {
namespace {

/// Far more than what the ends of a connection are apart, and than a lane looks ahead.
constexpr i64 kSlicesApart = 2 * kMaxSlots, kPhasesApart = 8, kPacketsApart = 2;
constexpr u64 kAny = ~u64{0} >> 1;

i64 moved(u32 before, u32 now) { return static_cast<i32>(now - before); }

/// How often a number that is `now` may grow by `by` until it is above `most`.
u64 times_until(i64 now, i64 by, i64 most) { return now > most ? 0 : static_cast<u64>((most - now) / by); }

class Room {
 public:
  Room(const Model& model, const Headway& before, const Headway& now)
      : v_(model.view), k_(model.view.collective), before_(before), now_(now) {}

  u64 times() {
    for (u32 e = 0; e < v_.endpoints && times_ != 0; ++e) {
      const PairsRank pairs(v_, e);
      if (k_.jobs != 0) look_at_lanes(e, pairs);
      look_at_senders(e, pairs);
      look_at_receivers(e, pairs);
    }
    return times_;
  }

 private:
  void at_most(u64 times) { times_ = std::min(times_, times); }
  void never() { times_ = 0; }

  // ---- Lanes: the same operation over and over, of slices of one size.

  void look_at_lanes(u32 e, const PairsRank& pairs) {
    for (u32 l = k_.first_lane[e]; l < k_.first_lane[e + 1]; ++l) {
      const LanePlan plan = lane_plan(v_, pairs, e, l);
      look_at_lane(l, plan, pairs);
      each_connection(plan.send, pairs, [&](const ConnectionPlan& c) {
        look_at_slices(k_.send[c.send_end].step, c, before_.send_ends[c.send_end], now_.send_ends[c.send_end],
                       k_.send[c.send_end].base);
      });
      each_connection(plan.recv, pairs, [&](const ConnectionPlan& c) {
        look_at_slices(k_.recv[c.recv_end].step, c, before_.recv_ends[c.recv_end], now_.recv_ends[c.recv_end],
                       k_.recv[c.recv_end].base);
      });
    }
  }

  template <class F>
  void each_connection(const Peers& peers, const PairsRank& pairs, const F& f) const {
    for (u32 i = 0; i < peers.count(); ++i) f(connection_plan(v_, pairs, peers.connection[i]));
  }

  void look_at_lane(u32 l, const LanePlan& plan, const PairsRank& pairs) {
    const i64 loops = moved(before_.lanes[l].loop, now_.lanes[l].loop);
    const i64 phases = moved(before_.lanes[l].phase, now_.lanes[l].phase);
    if (loops == 0 && phases == 0) return;
    const Member& member = k_.member[plan.member];
    const JobPlan& job = k_.job[member.job];
    if (!member.entered || member.current >= job.steps) return never();
    const CollectiveStep& step = k_.step[job.first_step + member.current];
    if (loops < 0 || phases < 0 || (loops != 0 && phases != 0)) return never();
    if (phases != 0) {  // not from the first one, which receives nothing, nor to the last one, which sends nothing
      if (i64{before_.lanes[l].phase} - phases < 1) return never();
      return at_most(times_until(now_.lanes[l].phase, phases, i64{step.phases} - 1 - kPhasesApart));
    }
    const Peers& peers = plan.recv.none() ? plan.send : plan.recv;
    const SliceLaw& law = k_.law_of(step, connection_plan(v_, pairs, peers.connection[0]));
    const u32 full_loops = step.connections_per_law == 0 ? step.full_loops : law.full;
    at_most(times_until(now_.lanes[l].loop, loops, i64{full_loops} - 1 - kPhasesApart));
  }

  /// The slices of one end of a connection are all of one size, or alternate, and its stream does not end.
  void look_at_slices(u32 step_number, const ConnectionPlan& c, const Headway::End& before, const Headway::End& now,
                      u32 base) {
    const i64 by = moved(before.first, now.first);
    if (by != moved(before.last, now.last) || by < 0) return never();
    if (by == 0) return;
    const SliceLaw& law = k_.law_of(k_.step[step_number], c);
    const i64 low = moved(base, before.first) - by - kSlicesApart, high = moved(base, now.last) + kSlicesApart;
    if (law.full == 0 || low >= i64{law.full}) return at_most(times_until(high, by, law.total));
    at_most(times_until(high, by, law.full));
  }

  // ---- Queue pairs.

  void look_at_senders(u32 e, const PairsRank& pairs) {
    const u32 first = v_.endpoint.first_sender[e], end = v_.endpoint.first_sender[e + 1];
    for (u32 i = first; i < end; ++i) {
      const Headway::Sending &before = before_.senders[i], &now = now_.senders[i];
      const Sender& q = v_.endpoint.sender[i];
      if (q.awaits_ack() && before.last_progress_ps == now.last_progress_ps)
        return never();  // its timeout comes nearer
      if (before.next == now.next && before.una == now.una) continue;
      const i64 messages = moved(before.message, now.message);
      if (messages != moved(before.una_message, now.una_message)) return never();
      if (messages == 0) look_at_message(q, before, now);
      const SenderPlan plan = sender_plan(v_, pairs, e, i - first);
      if (plan.connection == kNone) {
        if (messages != 0) return never();
        continue;
      }
      const ConnectionPlan c = connection_plan(v_, pairs, plan.connection);
      if (!matches(c, messages, slices_of(before_.send_ends[c.send_end], now_.send_ends[c.send_end]))) return never();
    }
  }

  static i64 slices_of(const Headway::End& before, const Headway::End& now) { return moved(before.first, now.first); }

  /// A message of a queue pair for each slice, or for every qps-th; a CTS for every slices_per_cts.
  static bool matches(const ConnectionPlan& c, i64 messages, i64 slices) {
    const i64 each = c.split ? 1 : i64{c.qps};
    return messages * each == slices && slices % (each * c.slices_per_cts) == 0;
  }

  /// It goes on within one message: neither at its first packet, nor at its last.
  void look_at_message(const Sender& q, const Headway::Sending& before, const Headway::Sending& now) {
    const i64 by = moved(before.next, now.next), acked = moved(before.una, now.una);
    if (now.una_message != now.message) return never();
    if (by <= 0 || by != acked || q.packets == 0) return never();
    if (moved(q.begin, before.una) - by < 0 || moved(q.begin, before.next) - by < 1) return never();
    at_most(times_until(moved(q.begin, now.next), by, i64{q.packets} - kPacketsApart - 1));
  }

  void look_at_receivers(u32 e, const PairsRank& pairs) {
    const u32 first = v_.endpoint.first_receiver[e], end = v_.endpoint.first_receiver[e + 1];
    for (u32 i = first; i < end; ++i) {
      const i64 messages = moved(before_.receivers[i], now_.receivers[i]);
      const bool admits = k_.jobs != 0;
      const i64 ctss = admits ? moved(before_.ctss[i].end, now_.ctss[i].end) : 0;
      if (admits && k_.cts[i].awaits_ack() && before_.ctss[i].last_progress_ps == now_.ctss[i].last_progress_ps)
        return never();
      if (messages == 0 && ctss == 0) continue;
      const ReceiverPlan plan = receiver_plan(v_, pairs, e, i - first);
      if (plan.connection == kNone) return never();  // it has received a message
      const ConnectionPlan c = connection_plan(v_, pairs, plan.connection);
      if (!matches(c, messages, slices_of(before_.recv_ends[c.recv_end], now_.recv_ends[c.recv_end]))) return never();
      if (ctss != 0 && ctss * c.slices_per_cts != messages) return never();  // of split slices one queue pair has them
    }
  }

  const View& v_;
  const Collectives& k_;
  const Headway &before_, &now_;
  u64 times_ = kAny;
};

}  // namespace

Headway::Headway(const View& v) {
  const Endpoints& ep = v.endpoint;
  const u32 sending = ep.first_sender[v.endpoints], receiving = ep.first_receiver[v.endpoints];
  for (u32 i = 0; i < sending; ++i) {
    const Sender& q = ep.sender[i];
    senders.push_back({q.una, q.next, q.una_message, q.message, q.last_progress_ps});
  }
  for (u32 i = 0; i < receiving; ++i) receivers.push_back(ep.receiver[i].message);
  const Collectives& k = v.collective;
  if (k.jobs == 0) return;
  for (u32 l = 0; l < k.first_lane[v.endpoints]; ++l) lanes.push_back({k.lane[l].loop, k.lane[l].phase});
  for (u32 i = 0; i < k.first_lane[v.endpoints] << k.peers_log2; ++i) {
    const SendState& send = k.send[i];
    const RecvState& recv = k.recv[i];
    const bool ahead = static_cast<i32>(send.granted - send.filled) > 0;
    send_ends.push_back({send.filled, ahead ? send.granted : send.filled});
    recv_ends.push_back({recv.freed, recv.granted});
  }
  for (u32 i = 0; i < receiving; ++i) ctss.push_back({k.cts[i].end, k.cts[i].last_progress_ps});
}

u64 repetitions_left(const Model& model, const Headway& before) {
  return Room(model, before, Headway(model.view)).times();
}

}  // namespace heddle
