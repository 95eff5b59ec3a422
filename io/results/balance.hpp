// How evenly the links of one kind were used: a measure for judging routing.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// The percentiles at which the utilisation of a kind's links is reported, by name.
inline constexpr std::array<std::pair<const char*, double>, 5> kUsePercentiles = {
    {{"p0", 0}, {"p10", 10}, {"p50", 50}, {"p90", 90}, {"p100", 100}}};

/// The loads of links, each a link's bytes over its rate, so that links of several rates compare.
struct LinkBalance {
  double busiest_over_mean = 0;  // 1: all are equal; number of links: one carried all; 0: none carried any
  double jain_index = 0;         // (sum)^2 / (n * sum of squares): 1 and 1/n in these cases; 0: none carried any
  std::array<double, kUsePercentiles.size()> loads{};  // nearest ranks, in the order of kUsePercentiles
};

LinkBalance balance_of(std::vector<double> loads);

/// The mean of busiest_over_mean over intervals, weighted by what was sent in each: loads that are even in the end may
/// have been uneven all the time.
class BalanceInTime {
 public:
  /// The loads of one interval.
  void add(std::span<const double> loads);
  /// Returns 0 when nothing was sent.
  double busiest_over_mean() const { return means_ > 0 ? busiest_ / means_ : 0; }

 private:
  double busiest_ = 0, means_ = 0;  // sums
};

}  // namespace heddle
