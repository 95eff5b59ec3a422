// Checkpoints that take too much of the time: when the warning comes, and its advice.
#include "host/run/saving_cost.hpp"

#include <gtest/gtest.h>

#include "host/config/options.hpp"

namespace heddle {
namespace {

TEST(SavingCost, SaysWhatToSet) {
  const SavingCost cost{.wall_s = 5, .saving_s = 4, .saves = 40};  // 0.1 s each, 1 s for the rest
  EXPECT_EQ(saving_warning(cost, {.every_ps = 1'000'000}),
            "40 checkpoints took 80 % of the time so far (4.0 of 5.0 s); set checkpoint.every to \"36 us\" or more (it "
            "is \"1 us\")");
  EXPECT_EQ(saving_warning(cost, {.every_wall_ps = 25'000'000'000}),
            "40 checkpoints took 80 % of the time so far (4.0 of 5.0 s); set checkpoint.every_wall to \"1 s\" or more "
            "(it is \"25 ms\")");
  EXPECT_NE(saving_warning(cost, {.every_ps = 1'000'000, .every_wall_ps = 1}).find(" and checkpoint.every_wall to"),
            std::string::npos);
}

TEST(SavingCost, AtTheIntervalAdvisedItIsSilent) {
  const CheckpointOptions options{.every_ps = 36'000'000};
  EXPECT_EQ(saving_warning({.wall_s = 100, .saving_s = 10, .saves = 100}, options), "");
  EXPECT_NE(saving_warning({.wall_s = 100, .saving_s = 10.1, .saves = 100}, options), "");
}

TEST(SavingCost, IsSilentAtFirstAndWhereNothingIsToBeSet) {
  EXPECT_EQ(saving_warning({.wall_s = 1, .saving_s = 0.9, .saves = 9}, {.every_ps = 1}), "");
  EXPECT_EQ(saving_warning({.wall_s = 20, .saving_s = 19, .saves = 1}, {}), "") << "SIGUSR1 asked for it";
}

TEST(SavingCost, OfARunThatOnlySaves) {
  const std::string text =
      saving_warning({.wall_s = 3, .saving_s = 3, .saves = 1}, {.every_ps = 900'000'000'000'000'000});
  EXPECT_NE(text.find("set checkpoint.every to"), std::string::npos) << "no overflow: " << text;
}

}  // namespace
}  // namespace heddle
