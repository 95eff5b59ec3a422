// Means over seeds and their confidence intervals.
#include "host/cli/mean_interval.hpp"

#include <gtest/gtest.h>

#include <array>

namespace heddle {
namespace {

/// The table of statistics books (two-sided 95 %; the last row 99 %).
TEST(MeanInterval, StudentsT) {
  EXPECT_NEAR(student_t(0.95, 1), 12.7062, 5e-5);
  EXPECT_NEAR(student_t(0.95, 2), 4.3027, 5e-5);
  EXPECT_NEAR(student_t(0.95, 3), 3.1824, 5e-5);
  EXPECT_NEAR(student_t(0.95, 4), 2.7764, 5e-5);
  EXPECT_NEAR(student_t(0.95, 9), 2.2622, 5e-5);
  EXPECT_NEAR(student_t(0.95, 30), 2.0423, 5e-5);
  EXPECT_NEAR(student_t(0.95, 9999), 1.9602, 5e-5);
  EXPECT_NEAR(student_t(0.99, 10), 3.1693, 5e-5);
}

/// By hand: mean 4, s = 2 (squares 4 + 0 + 4 over 2), t(2) = 4.3027, so 4.3027 * 2 / sqrt(3).
TEST(MeanInterval, OfThreeValues) {
  const std::array values = {2.0, 4.0, 6.0};
  const MeanInterval interval = mean_interval(values);
  EXPECT_EQ(interval.n, 3u);
  EXPECT_DOUBLE_EQ(interval.mean, 4);
  EXPECT_NEAR(interval.half, 4.9683, 5e-5);
}

TEST(MeanInterval, OfOneValueNothingCanBeSaid) {
  const std::array values = {2.5};
  EXPECT_EQ(mean_interval(values).mean, 2.5);
  EXPECT_EQ(mean_interval(values).half, 0);
  EXPECT_EQ(mean_interval({}).n, 0u);
}

TEST(MeanInterval, OfEqualValuesIsNarrow) {
  const std::array values = {7.0, 7.0, 7.0, 7.0};
  EXPECT_EQ(mean_interval(values).mean, 7);
  EXPECT_EQ(mean_interval(values).half, 0);
}

}  // namespace
}  // namespace heddle
