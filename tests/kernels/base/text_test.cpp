#include "kernels/base/text.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Text, BytesHaveFourDigitsAndAUnit) {
  EXPECT_EQ(rounded_bytes(0), "0 B");
  EXPECT_EQ(rounded_bytes(999), "999 B");
  EXPECT_EQ(rounded_bytes(10'000), "10 KB");
  EXPECT_EQ(rounded_bytes(119'223'028), "119.2 MB");
  EXPECT_EQ(rounded_bytes(2'147'483'648), "2.147 GB");
  EXPECT_EQ(rounded_bytes(~u64{0}), "18.45 EB");
}

}  // namespace
}  // namespace heddle
