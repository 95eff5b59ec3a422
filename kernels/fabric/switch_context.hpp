// The data that phases of a switch pass share: the switches, their team, and the list of ports.
#pragma once

#include "kernels/fabric/switch_scratch.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The switches [node, end) and the team that runs them. Their egress links are contiguous: port i of the team has link
/// first_link + i.
template <class Team>
struct SwitchContext {
  HEDDLE_FN SwitchContext(const Team& team_of_pass, const View& view, const ScratchOf<Team>& scratch, u32 first,
                          u32 last, u32 parity_of_tick)
      : SwitchContext(team_of_pass, view, scratch, first, last, parity_of_tick, view.first_link[first]) {}

  /// Of a team that has only some ports of switch `first`, from the one of link `first_link_of_team` on.
  HEDDLE_FN SwitchContext(const Team& team_of_pass, const View& view, const ScratchOf<Team>& scratch, u32 first,
                          u32 last, u32 parity_of_tick, u32 first_link_of_team)
      : team(team_of_pass),
        v(view),
        s(view.settings),
        x(scratch),
        node(first),
        end(last),
        parity(parity_of_tick),
        first_link(first_link_of_team),
        dropped((view.first_link[last] - first_link) * classes_of<Team>(view.settings)) {}

  /// Calls f(port, k, y * n + k) for every k < n of every listed port; y is the port's place in the list.
  template <class F>
  HEDDLE_FN void for_listed(u32 n, const F& f) const {
    team.for_each_divergent(*x.listed, [&](u32 y) {
      const u32 i = x.list[y];
      for (u32 k = 0; k < n; ++k) f(i, k, y * n + k);
    });
  }

  HEDDLE_FN void append_port(u32 i) const {
    const u32 at = team.add(*x.listed, 1u);
    x.list[at] = i;
    x.place[i] = at + 1;
  }

  /// Lists a port that gets a packet or whose link changes. Two lanes may find the same port; one of them lists it.
  /// Other lanes read places meanwhile, so place_from() sets the place later.
  HEDDLE_FN void list_target(u32 i) const {
    if (team.add(x.busy[i], 1u) == 0) x.list[team.add(*x.listed, 1u)] = i;
  }

  /// A phase: sets the places of ports listed from `first` on.
  HEDDLE_FN void place_from(u32 first) const {
    team.each(*x.listed - first, [&](u32 y) { x.place[x.list[first + y]] = first + y + 1; });
  }

  /// The queue, at the sending node, of source y * classes + c: class c of the wire into listed port y.
  HEDDLE_FN u32 incoming_queue(u32 y, u32 c) const {
    return v.egress[first_link + x.list[y]].reverse * classes_of<Team>(s) + c;
  }

  /// Port 0 of the switch of `link`, in the team's numbering.
  HEDDLE_FN u32 first_port_of(u32 link) const { return v.first_link[v.link_node[link]] - first_link; }

  const Team& team;
  const View& v;
  const Settings& s;
  const ScratchOf<Team>& x;
  const u32 node, end, parity, first_link;
  const u32 dropped;  // queue index behind all others that counts arrivals without an egress queue
};

}  // namespace heddle
