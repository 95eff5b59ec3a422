// One tick of a switch by ports, step by step (ports/README.md). A GPU runs each step for all switches before the next.
#pragma once

#include "kernels/ports/arrive.hpp"
#include "kernels/ports/serve.hpp"
#include "kernels/ports/settle.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

/// Part of step 2, once for each switch: samples the free memory of its pools, and lets step 3 find its next event.
template <class Team>
HEDDLE_FN void begin_ports(const Team& team, const View& v, u32 node, const Tick& tick) {
  team.each(v.first_pool[node + 1] - v.first_pool[node],
            [&](u32 i) { begin_epoch(v, v.first_pool[node] + i, tick.from); });
  team.each(1, [&](u32) { v.next_ps[node] = kNever; });
}

/// Calls f(word) for every word of ports of a switch.
template <class F>
HEDDLE_FN void for_port_words(const View& v, u32 node, const F& f) {
  for (u32 word = v.first_port_word[node]; word < v.first_port_word[node + 1]; ++word) f(word);
}

/// Runs one switch, which has received its updates, by one team. Returns whether it has published anything for the next
/// tick.
template <class Team>
HEDDLE_FN bool tick_switch_by_ports(const Team& team, const View& v, const Bins& bins, const ScratchOf<Team>& scratch,
                                    u32 node, const Tick& tick) {
  const u32 parity = tick.parity;
  for_port_words(v, node, [&](u32 word) {
    BinnedArrivals<Team>(team, v, bins, scratch, node, word, parity).run(tick.from, tick.to);
  });
  const bool by_ports = bins.goes_by_ports(node, parity);
  if (by_ports) {
    begin_ports(team, v, node, tick);
    for_served_parts(v, node, [&](const ServedPart& part) {
      ServedPorts<Team>(team, v, bins, scratch, part, parity).run(tick.from, tick.to);
    });
  }
  bool happened = false;
  for_port_words(v, node, [&](u32 word) {
    const SettledPorts<Team> ports(team, v, bins, node, word, parity);
    if (by_ports) {
      ports.run(tick.to, v.next_ps[node]);
      happened = happened || v.port_published[word] != 0;
    } else {
      ports.empty_all();
    }
  });
  bins.forget(v, node, parity);
  return by_ports ? happened : tick_switches(team, v, scratch, node, node + 1, tick);
}

}  // namespace heddle
