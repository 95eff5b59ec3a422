// What the listed egress ports of a team do in a window: their arrivals enter the rings, and packets start.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/came_by.hpp"
#include "kernels/fabric/egress.hpp"
#include "kernels/fabric/phased_service.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/fabric/waiting.hpp"
#include "kernels/state/plain.hpp"

namespace heddle {

/// Copies packets from the ring of the sending node into the own ring, in a window from `from` on: the only copy of a
/// hop. The keys are in order and the rings have room (append_run). For a phased service their times are left to it,
/// and the bytes that each holds are noted.
template <class Team>
HEDDLE_FN void enqueue_arrivals(const SwitchContext<Team>& context, TimePs from, bool phased) {
  constexpr u32 kPortBits = 12;  // of a port of this team, in keys and places
  const View& v = context.v;
  const Settings& s = context.s;
  const ScratchOf<Team>& x = context.x;
  struct Target {
    u32 fresh, place;  // place: port 0 of its switch in this team; where packets take detours, and its class
    u32 cell_bytes;
    Ring ring;
  };
  if constexpr (kWaitsInScratch<Team>) WaitingInScratch<Team>::keep(context);
  const auto target = [&](u32 z) {
    const u32 link = context.first_link + x.list[z / classes_of<Team>(s)], c = z % classes_of<Team>(s);
    const u32 node_port = context.first_port_of(link);
    return Target{x.fresh[z], takes_detours<Team>(s) ? node_port | c << kPortBits : node_port,
                  v.egress[link].cell_bytes, v.queue[link * classes_of<Team>(s) + c].ring};
  };
  context.team.items(x.run, *x.listed * classes_of<Team>(s), target, [&](const Target& to, u32 j, u32 k) {
    const u64 key = x.spare[k];
    Packet packet = v.pool.packet[x.source[key & 0xffffff]];
    const u32 port = static_cast<u32>(key >> 24) & ((1u << kPortBits) - 1);
    if (takes_detours<Team>(s)) {
      note_turn(packet, port - (to.place & ((1u << kPortBits) - 1)), to.place >> kPortBits);
    } else {
      packet.set_ingress_port(port - to.place);
    }
    const u32 entry = to.ring.at(to.fresh + j);
    v.pool.packet[entry] = packet;
    if (!kWaitsInScratch<Team> || !phased) v.pool.time_ps[entry] = from + static_cast<TimePs>(key >> 36);
    if constexpr (kWaitsInScratch<Team>) {
      x.spare[k] = WaitingInScratch<Team>::key_of(key, packet);
      if (phased) x.before[k] = held_bytes(packet.frame_bytes(), to.cell_bytes);
    }
  });
}

/// Serves the listed ports for which is_served(port, place) is false, one by one: see serve_ports().
template <class Team, class Accounts, class OnSent, class IsServed>
HEDDLE_FN void serve_one_by_one(const SwitchContext<Team>& context, const Accounts& accounts, TimePs from, TimePs to,
                                const OnSent& on_sent, const IsServed& is_served) {
  const Team& team = context.team;
  const View& v = context.v;
  context.for_listed(1, [&](u32 i, u32, u32 y) {
    if (is_served(i, y)) return;
    const u32 link = context.first_link + i;
    if (team.leave(has_nothing_to_send<Team>(v, link))) return pass_pauses(v, link, context.parity, to);
    const u32 first_port = context.first_port_of(link), cell_bytes = v.egress[link].cell_bytes;
    const auto packets = waiting_at(context, link, y, from);
    EgressService<Team> service(team, v, link, context.parity, context.x.fresh + y * classes_of<Team>(context.s),
                                packets);
    service.serve(to,
                  [&](const Packet& packet, TimePs start) { accounts.release(packet, start, first_port, cell_bytes); });
    accounts.settle_best_effort(i, service);
    service.finish(to);
    if (service.sent_packets() != 0) on_sent(i);
  });
}

/// Serves every listed port in a window [from, to); where `phased`, each that can be in phases. `accounts` take what
/// starts: release(packet, start, port 0 of the switch in the team, cell bytes), settle_best_effort(port, service).
/// Calls on_sent(port) in a phase for each that has sent anything.
template <class Team, class Accounts, class OnSent>
HEDDLE_FN void serve_ports(const SwitchContext<Team>& context, const Accounts& accounts, TimePs from, TimePs to,
                           bool phased, const OnSent& on_sent) {
  if constexpr (kWaitsInScratch<Team>) {
    const PhasedService<Team, Accounts> service(context, accounts, from);
    if (phased) service.run(to);
    serve_one_by_one(context, accounts, from, to, on_sent, [&](u32 i, u32 y) {
      if (!context.team.leave(phased && service.ran(y))) return false;
      if (service.finish(context.first_link + i, y)) on_sent(i);
      return true;
    });
  } else {
    serve_one_by_one(context, accounts, from, to, on_sent, [](u32, u32) { return false; });
  }
}

}  // namespace heddle
