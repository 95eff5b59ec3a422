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

struct Failures {
  std::vector<LinkChange> changes;  // by link, then in order of time
  std::vector<u32> first;           // [link + 1]: those of link l are [first[l], first[l + 1]); empty: no link changes

  bool none() const { return first.empty(); }
  std::span<const LinkChange> of(LinkId link) const {
    if (none()) return {};
    return std::span(changes).subspan(first[link], first[link + 1] - first[link]);
  }
};

/// The state in the fabric's table, before any change.
inline LinkState nominal_state(const Link& link) { return {link.ps_per_byte_q16, 0}; }

/// The state at `t`, after a change at that instant.
inline LinkState state_at(const Fabric& fabric, const Failures& failures, LinkId link, TimePs t) {
  const std::span<const LinkChange> all = failures.of(link);
  const auto later = std::ranges::upper_bound(all, t, {}, &LinkChange::at_ps);
  return later == all.begin() ? nominal_state(fabric.links[link]) : std::prev(later)->state;
}

}  // namespace heddle
