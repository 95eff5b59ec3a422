// Plans of a controller in the file and in texts.
#include "io/results/plans.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

const std::vector<PlanRow> kPlans = {{1'000'000, 3'000'000}, {2'000'000, -1}, {3'000'000, 4'500'000}};

TEST(Plans, SummarySaysWhenTheyCame) {
  EXPECT_EQ(plan_summary({}), "");
  EXPECT_EQ(plan_summary(kPlans),
            "\ncontroller 2 of 3 plans came into force, 1.5 us to 2 us (median 2 us) after they were measured; 1 did "
            "not, as a later one did or the run was over\n");
  EXPECT_EQ(plan_summary(std::vector<PlanRow>{{1, -1}}),
            "\ncontroller none of 1 plans came into force: routes stayed as they were without one\n");
}

TEST(Plans, AreInTheFile) {
  const World world = small_world();
  ResultSettings settings = small_settings();
  settings.plans = [] { return kPlans; };
  const std::string path = fresh_folder() + "/plans.h5";
  ResultWriter writer(path, world, settings);
  writer.finish(small_outcome(), {});
  const RunSummary run = read_summary(path);
  ASSERT_EQ(run.plans.size(), 3u);
  EXPECT_EQ(run.plans[0].measured_ps, 1'000'000);
  EXPECT_EQ(run.plans[1].from_ps, -1);
  EXPECT_EQ(run.plans[2].from_ps, 4'500'000);
  expect_contains(describe_run(path), plan_summary(kPlans));
  const std::string compared = compare_runs(std::vector<std::string>{path, path});
  expect_contains(compared, "controller's plans in force");
  expect_contains(compared, "2 of 3");
  expect_contains(compared, "median delay");
}

TEST(Plans, NoneWithoutAController) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/none.h5";
  ResultWriter writer(path, world, small_settings());
  writer.finish(small_outcome(), {});
  EXPECT_TRUE(read_summary(path).plans.empty());
  EXPECT_EQ(describe_run(path).find("controller"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
