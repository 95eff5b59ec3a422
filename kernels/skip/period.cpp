#include "kernels/skip/period.hpp"

#include <algorithm>
#include <vector>

namespace heddle {
namespace {

/// The gap before a start, and what started.
struct Step {
  TimePs gap_ps;
  u32 what;
  bool operator==(const Step&) const = default;
};

/// The latest first.
std::vector<Step> steps_back(const Witness& witness) {
  const u32 known = std::min(witness.notes, Witness::kNotes);
  std::vector<Step> steps;
  steps.reserve(known);
  for (u32 i = 1; i < known; ++i) {
    const u32 at = (witness.notes - i) % Witness::kNotes, before = (witness.notes - i - 1) % Witness::kNotes;
    steps.push_back({witness.start_ps[at] - witness.start_ps[before], witness.what[at]});
  }
  return steps;
}

/// For every i how many steps from i on are those from 0 on (Z function).
std::vector<u32> repeated_from(const std::vector<Step>& steps) {
  const u32 n = static_cast<u32>(steps.size());
  std::vector<u32> z(n, 0);
  for (u32 i = 1, low = 0, high = 0; i < n; ++i) {
    if (i < high) z[i] = std::min(high - i, z[i - low]);
    while (i + z[i] < n && steps[z[i]] == steps[i + z[i]]) ++z[i];
    if (i + z[i] > high) {
      low = i;
      high = i + z[i];
    }
  }
  return z;
}

}  // namespace

TimePs latest_period_ps(const Witness& witness, TimePs least_ps) {
  const std::vector<Step> steps = steps_back(witness);
  const std::vector<u32> z = repeated_from(steps);
  std::vector<TimePs> until_ps(steps.size() + 1, 0);  // the sum of the first i gaps
  for (std::size_t i = 0; i < steps.size(); ++i) until_ps[i + 1] = until_ps[i] + steps[i].gap_ps;
  for (u32 i = 1; i < steps.size(); ++i) {
    const u32 alike = i + z[i];
    if (2 * alike >= 5 * i && alike >= 6 && until_ps[alike] >= least_ps) return until_ps[i];
  }
  return 0;
}

}  // namespace heddle
