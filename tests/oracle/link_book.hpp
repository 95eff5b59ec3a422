// What each directed link did, recorded as it happens (MODEL.md, 11.4).
#pragma once

#include <map>
#include <vector>

#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"

namespace heddle::oracle {

class LinkBook {
 public:
  explicit LinkBook(const World& world) : links_(world.fabric.links.size()) {}

  /// A packet is sent on `link` from now to `end`, at this speed.
  void starts(LinkId link, u32 wire_bytes, TimePs end, u32 ps_per_byte_q16);
  /// A packet has been accepted at `t` for the egress of `link`, which then holds `bytes` in all its queues.
  void accepts(LinkId link, u64 bytes, TimePs t);
  void pause_takes_effect(LinkId link, u32 cls, TimePs t) { paused_since_[{link, cls}] = t; }
  void pause_ends(LinkId link, u32 cls, TimePs t);
  void pause_decided(LinkId link) { ++links_[link].pauses; }
  void marks(LinkId link) { ++links_[link].ecn_marks; }
  void drops_at_egress(LinkId link) { ++links_[link].egress_drops; }
  void loses(LinkId link) { ++links_[link].losses; }
  void drops_on_arrival(LinkId link) { ++links_[link].ingress_drops; }

  /// Returns the outcome when the run ends at `end`.
  std::vector<LinkOutcome> closed_at(TimePs end) const;

 private:
  std::vector<LinkOutcome> links_;
  std::map<LinkId, std::pair<TimePs, u32>> sending_until_;  // end of the last packet, and its speed
  std::map<std::pair<LinkId, u32>, TimePs> paused_since_;   // pauses in force, by link and class
};

}  // namespace heddle::oracle
