// What the summary of a run says of a controller's plans.
#include "host/cli/control_summary.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

TEST(ControlSummary, SaysWhenPlansCame) {
  EXPECT_EQ(control_summary({}), "");
  const std::vector<PlanTimes> plans = {{1'000'000, 3'000'000}, {2'000'000, kNever}, {3'000'000, 4'500'000}};
  EXPECT_EQ(control_summary(plans),
            "\ncontroller 2 of 3 plans came into force, 1.5 us to 2 us (median 2 us) after they were measured; 1 did "
            "not, as a later one did or the run was over\n");
  EXPECT_EQ(control_summary(std::vector<PlanTimes>{{1, kNever}}),
            "\ncontroller none of 1 plans came into force: routes stayed as they were without one\n");
}

}  // namespace
}  // namespace heddle
