// The times at which a cable that goes down is out of service (MODEL.md, 7.9).
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

struct Interval {
  TimePs from_ps, until_ps;
};

/// Whether one of the intervals, which are in order of time and apart, contains `t`.
bool covers(const std::vector<Interval>& all, TimePs t);

/// The times at which a cable is out: at the nodes at its ends, and elsewhere.
struct Outages {
  LinkId link = kNone;  // one of its directions
  std::vector<Interval> near, far;
};

/// Those of the cable of `link`, from world.failures.
Outages outages_of(const World& world, LinkId link, TimePs detect_ps, TimePs converge_ps);

}  // namespace heddle
