#include "host/scenario/failures/outages.hpp"

#include <algorithm>
#include <span>

namespace heddle {
namespace {

TimePs later(TimePs t, TimePs by) { return t >= kNever - by ? kNever : t + by; }

/// Appends an interval in order of time; intervals that touch are merged.
void append(std::vector<Interval>& all, const Interval& next) {
  if (!all.empty() && next.from_ps <= all.back().until_ps) {
    all.back().until_ps = std::max(all.back().until_ps, next.until_ps);
  } else {
    all.push_back(next);
  }
}

}  // namespace

bool covers(const std::vector<Interval>& all, TimePs t) {
  const auto after = std::ranges::upper_bound(all, t, {}, &Interval::from_ps);
  return after != all.begin() && std::prev(after)->until_ps > t;
}

Outages outages_of(const World& world, LinkId link, TimePs detect_ps, TimePs converge_ps) {
  Outages outages{link, {}, {}};
  const std::span<const LinkChange> changes = world.failures.of(link);
  for (size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].state.up()) continue;
    const TimePs down = changes[i].at_ps, up = i + 1 < changes.size() ? changes[i + 1].at_ps : kNever;
    const bool known = down == 0;                          // since before the run
    if (!known && up <= later(down, detect_ps)) continue;  // over before it is detected
    append(outages.near, {known ? 0 : later(down, detect_ps), later(up, converge_ps)});
    append(outages.far, {known ? 0 : later(down, converge_ps), later(up, converge_ps)});
  }
  return outages;
}

}  // namespace heddle
