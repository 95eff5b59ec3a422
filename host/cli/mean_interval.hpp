// The mean of repeated runs, and its confidence interval.
#pragma once

#include <cstddef>
#include <span>

namespace heddle {

struct MeanInterval {
  std::size_t n = 0;
  double mean = 0;
  double half = 0;  // the 95 % confidence interval of the mean is mean +- half; 0 with fewer than two values
};

/// Student's interval, t(0.975, n - 1) s / sqrt(n) with the sample's standard deviation s: right for values that are
/// independent and roughly normal, as the outcomes of a run under different seeds mostly are.
MeanInterval mean_interval(std::span<const double> values);

/// The t that |T| exceeds with the probability 1 - confidence; T has Student's distribution with `freedom` degrees of
/// freedom, at least 1. Within 1e-9 of t. Source: Abramowitz and Stegun, 26.7.3 and 26.7.4, solved by bisection.
double student_t(double confidence, std::size_t freedom);

}  // namespace heddle
