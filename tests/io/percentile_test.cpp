// Nearest ranks, worked by hand.
#include "io/results/percentile.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace heddle::test {
namespace {

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

TEST(Percentile, IsTheNearestRank) {
  EXPECT_EQ(percentile(first_numbers(10), 0), 1);
  EXPECT_EQ(percentile(first_numbers(10), 50), 5);
  EXPECT_EQ(percentile(first_numbers(11), 50), 6);
  EXPECT_EQ(percentile(first_numbers(10), 95), 10);
  EXPECT_EQ(percentile(first_numbers(10), 100), 10);
  EXPECT_EQ(percentile(first_numbers(1), 99.9), 1);
  EXPECT_EQ(percentile(std::vector<int>{}, 50), 0);
}

/// In floating point 99.9 / 100 * 1000 is a trace more than 999.
TEST(Percentile, IsExactWhereARankIsWhole) {
  for (const int thousands : {1, 2, 3, 7, 10, 889})
    EXPECT_EQ(percentile(first_numbers(1000 * thousands), 99.9), 999 * thousands);
  EXPECT_EQ(percentile(first_numbers(1001), 99.9), 1000);
}

}  // namespace
}  // namespace heddle::test
