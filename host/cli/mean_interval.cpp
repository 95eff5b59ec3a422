#include "host/cli/mean_interval.hpp"

#include <cmath>
#include <numbers>

namespace heddle {
namespace {

/// The probability P(|T| < t) of Student's distribution.
double within(double t, std::size_t freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double sum = 0, term = odd ? cosine : 1;
  for (std::size_t k = odd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= static_cast<double>(k - 1) / static_cast<double>(k) * cosine * cosine;
  }
  return odd ? (angle + sine * sum) * 2 / std::numbers::pi : sine * sum;
}

}  // namespace

double student_t(double confidence, std::size_t freedom) {
  double low = 0, high = 1;
  while (within(high, freedom) < confidence) high *= 2;
  while (high - low > 1e-10 * high) {
    const double middle = (low + high) / 2;
    (within(middle, freedom) < confidence ? low : high) = middle;
  }
  return (low + high) / 2;
}

MeanInterval mean_interval(std::span<const double> values) {
  constexpr double kConfidence = 0.95;
  MeanInterval result{values.size()};
  if (values.empty()) return result;
  const auto n = static_cast<double>(values.size());
  // The mean of equal values is that value, to the last bit.
  for (const double value : values) result.mean += (value - values[0]) / n;
  result.mean += values[0];
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.half = student_t(kConfidence, values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return result;
}

}  // namespace heddle
