// Step 2 of a tick by ports: arrivals leave their bins for the rings of their egress queues, and packets start.
#pragma once

#include "kernels/fabric/port_service.hpp"
#include "kernels/fabric/switch_arrivals.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/ports/bins.hpp"

namespace heddle {

/// Most ports that one team serves: all of a rack's switch (16 GPUs and 18 uplinks at Meta).
inline constexpr u32 kServedPorts = 36;

/// The ports [first, end) of a switch that one team serves.
struct ServedPart {
  u32 node, first, end;
};

/// Calls f(part) for every part of a switch; they have equally many ports, but for one.
template <class F>
HEDDLE_FN void for_served_parts(const View& v, u32 node, const F& f) {
  const u32 ports = v.first_link[node + 1] - v.first_link[node], parts = (ports + kServedPorts - 1) / kServedPorts;
  for (u32 part = 0; part < parts; ++part) f(ServedPart{node, ports * part / parts, ports * (part + 1) / parts});
}

/// The ports of a part, by one team with scratch for as many, and for
/// the arrivals of a port.
template <class Team>
class ServedPorts {
 public:
  HEDDLE_FN ServedPorts(const Team& team, const View& v, const Bins& bins, const ScratchOf<Team>& scratch,
                        const ServedPart& part, u32 parity)
      : context_(team, v, scratch, part.node, part.node + 1, parity, v.first_link[part.node]),
        accounts_(team, v, bins, part.node),
        team_(team),
        v_(v),
        bins_(bins),
        x_(scratch),
        node_(part.node),
        first_(part.first),
        end_(part.end) {}

  /// Serves the ports over [from, to). Nothing waits for them in this tick but step 3.
  HEDDLE_FN void run(TimePs from, TimePs to) const {
    team_.each(1, [&](u32) { *x_.happened = 0; });
    team_.each(end_ - first_, [&](u32 n) {
      const u32 i = first_ + n, link = context_.first_link + i;
      const u32 arriving = bins_.count[link * kPlainClasses] + bins_.count[link * kPlainClasses + 1];
      if (arriving == 0 && v_.port_next_ps[link] >= to) return;
      const u32 at = team_.add(*x_.happened, 1u);
      x_.due[at] = i;
      x_.counted[at] = arriving;
    });
    const u32 ports = *x_.happened;
    if (ports == 0) return;
    team_.scan(x_.counted, ports);
    for (u32 done = 0; done != ports;) {
      done += list(done, ports);
      serve_listed(from, to);
    }
    team_.each(ports + 1, [&](u32 n) { x_.counted[n] = 0; });
  }

 private:
  /// Lists due ports from number `done` on, as many as the scratch has room for. Returns how many.
  HEDDLE_FN u32 list(u32 done, u32 ports) const {
    team_.each(1, [&](u32) { *x_.listed = 0; });
    team_.each(ports - done, [&](u32 n) {
      if (x_.counted[done + n + 1] - x_.counted[done] > x_.packets) return;
      x_.list[n] = x_.due[done + n];
      team_.add(*x_.listed, 1u);
    });
    return *x_.listed;
  }

  HEDDLE_FN void serve_listed(TimePs from, TimePs to) const {
    const u32 queues = *x_.listed * kPlainClasses;
    const auto queue_at = [&](u32 z) { return queue_of(z); };
    team_.each(queues, [&](u32 z) { x_.run[z] = bins_.count[queue_of(z)]; });
    team_.scan(x_.run, queues);
    team_.items(x_.run, queues, queue_at, [&](u32 q, u32 j, u32 k) {
      x_.spare[k] = bins_.key[u64{q} * bins_.packets + j] | k;
      x_.source[k] = bins_.source[u64{q} * bins_.packets + j];
    });
    team_.sort_runs(x_.spare, x_.key, x_.run, queues);
    context_.for_listed(kPlainClasses, [&](u32 i, u32 c, u32 z) {
      append_run(context_, from, i, c, z, bins_.bytes[queue_of(z)], [&] { publish(i); });
    });
    enqueue_arrivals(context_, from, x_.phases);
    serve_ports(context_, accounts_, from, to, x_.phases, [&](u32 i) { publish(i); });
  }

  HEDDLE_FN u32 queue_of(u32 z) const {
    return (context_.first_link + x_.list[z / kPlainClasses]) * kPlainClasses + z % kPlainClasses;
  }

  HEDDLE_FN void publish(u32 i) const {
    team_.mark(v_.port_published[v_.first_port_word[node_] + i / 64], u64{1} << (i % 64));
  }

  const SwitchContext<Team> context_;
  const BinAccounts<Team> accounts_;
  const Team& team_;
  const View& v_;
  const Bins& bins_;
  const ScratchOf<Team>& x_;
  const u32 node_, first_, end_;
};

}  // namespace heddle
