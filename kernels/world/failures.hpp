// Cables that fail, slow down, lose bits and recover, as plain tables (MODEL.md, 2.5). Written by
// host/scenario/failures; all nodes know them in advance.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle {

/// The state of a directed link.
struct LinkState {
  u32 ps_per_byte_q16 = 0;  // as in Link; 0: down
  u64 loss_q64 = 0;         // probability that a byte is damaged, and with it its packet; 0: none
  bool up() const { return ps_per_byte_q16 != 0; }
  bool operator==(const LinkState&) const = default;
};

struct LinkChange {
  TimePs at_ps = 0;
  LinkState state;  // from at_ps on
};

/// Ports of a NIC that are out of service from `from_ps` on, until its next PortsOut (MODEL.md, 8.10): a bit for each.
struct PortsOut {
  TimePs from_ps = 0;
  u8 own = 0;     // as its own NIC knows
  u8 others = 0;  // as all other NICs know
};

struct Failures {
  std::vector<LinkChange> changes;  // by link, then in order of time
  std::vector<u32> first;           // [link + 1]: those of link l are [first[l], first[l + 1]); empty: no link changes

  // Of NICs with several ports: those of endpoint e are [ports_out_first[e], ports_out_first[e + 1]) of ports_out, in
  // order of time; empty: no port ever fails.
  std::vector<PortsOut> ports_out;
  std::vector<u32> ports_out_first;

  bool none() const { return first.empty(); }
  std::span<const LinkChange> of(LinkId link) const {
    if (none()) return {};
    return std::span(changes).subspan(first[link], first[link + 1] - first[link]);
  }
  std::span<const PortsOut> ports_out_of(EndpointId endpoint) const {
    if (ports_out_first.empty()) return {};
    const u32 begin = ports_out_first[endpoint];
    return std::span(ports_out).subspan(begin, ports_out_first[endpoint + 1] - begin);
  }
};

/// The latest of `all`, which is in order of time, at `t`.
inline PortsOut ports_out_at(std::span<const PortsOut> all, TimePs t) {
  const auto later = std::ranges::upper_bound(all, t, {}, &PortsOut::from_ps);
  return later == all.begin() ? PortsOut() : *std::prev(later);
}

/// The state in the fabric's table, before any change.
inline LinkState nominal_state(const Link& link) { return {link.ps_per_byte_q16, 0}; }

/// The state at `t`, after a change at that instant.
inline LinkState state_at(const Fabric& fabric, const Failures& failures, LinkId link, TimePs t) {
  const std::span<const LinkChange> all = failures.of(link);
  const auto later = std::ranges::upper_bound(all, t, {}, &LinkChange::at_ps);
  return later == all.begin() ? nominal_state(fabric.links[link]) : std::prev(later)->state;
}

}  // namespace heddle
