// What a run with coarse packets says of the times that packets of one MTU would have, and how far it may be off.
#pragma once

#include <span>
#include <vector>

#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// What a time is of. The order is that of the file's codes.
enum class Timed : u8 { collective, message, iteration, run };

/// A time as it was with packets of k MTUs and of 2k, and what follows for packets of one. Errors grow with k nearly in
/// a straight line, c = (coarser - coarse) / k per MTU, so the time is coarse - (k - 1) c. It may be off by twice what
/// was taken away, and two thousandths; and by as much, as a part of it, as 95 % of its kind.
struct TimeEstimate {
  Timed of = Timed::run;
  u32 id = 0;  // of the collective or message; of /iteration its row; run: 0
  TimePs coarse_ps = 0, coarser_ps = 0;
  TimePs time_ps = 0, error_ps = 0;

  double error() const { return time_ps == 0 ? 0 : static_cast<double>(error_ps) / static_cast<double>(time_ps); }
};

/// Of everything that both runs have completed, in the order of Timed and the numbers; times are those of /collective
/// (from the first rank that enters), /message (from its posting), /iteration, and of the end of a run that is
/// complete.
std::vector<TimeEstimate> estimates_of(const World& world, const Outcome& coarse, const Outcome& coarser, u32 mtus);

/// The outcome that packets of one MTU would have, as far as times go: every instant and every time that a GPU stood
/// still, of what both runs have completed, moved back like that of an TimeEstimate. So times between them are those of
/// the estimates. All else stays as it was with k MTUs.
Outcome extrapolated(const World& world, const Outcome& coarse, const Outcome& coarser, u32 mtus);

/// Those of a kind, which stand side by side.
std::span<const TimeEstimate> estimates_of_kind(std::span<const TimeEstimate> all, Timed of);
/// nullptr: there is none.
const TimeEstimate* find_estimate(std::span<const TimeEstimate> all, Timed of, u32 id);

}  // namespace heddle
