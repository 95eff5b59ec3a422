// Text of `heddle check` on the size of the result file.
#include "host/check/output_text.hpp"

#include <gtest/gtest.h>

#include "host/base/error.hpp"
#include "host/cli/output_budget.hpp"
#include "host/config/options.hpp"
#include "io/results/file_size.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

TEST(OutputText, CountsARowOfSeriesForEveryInterval) {
  const World world = world_of(star_options(4));
  const FileSize size = file_size_of(world, false, false);
  OutputOptions output;
  output.series_interval_ps = 10'000'000;
  const std::string text = output_text(world, output, 1'000'000'000, true);
  const u64 bytes = size.fixed_bytes + size.end_bytes + 101 * size.series_row_bytes;
  EXPECT_EQ(text.find("output     up to "), 0u) << text;
  const double said = std::stod(text.substr(std::string("output     up to ").size()));
  EXPECT_NEAR(said * (text.find(" MB and its") < 40 ? 1e6 : 1e3) / static_cast<double>(bytes), 1, 0.01) << text;
  EXPECT_NE(text.find("longer than is said"), std::string::npos) << text;
  EXPECT_EQ(output_text(world, output, 1, false).find("longer than is said"), std::string::npos);
  EXPECT_NE(text.find("every 10 us in which"), std::string::npos) << text;
}

TEST(OutputText, SaysWhatItDoesNotKnow) {
  const World world = world_of(star_options(4));
  OutputOptions output;
  output.series_interval_ps = 10'000'000;
  EXPECT_NE(output_text(world, output, 0, false).find("for as long as it lasts"), std::string::npos);
  output.series_interval_ps = 0;
  EXPECT_NE(output_text(world, output, 0, false).find("no series"), std::string::npos);
  output.series_interval_ps = 1'000'000;
  output.link_series = true;
  EXPECT_NE(output_text(world, output, 1, false).find("with link_series"), std::string::npos);
}

TEST(OutputText, WarnsOfTimesOfGpusThatNobodyHas) {
  World world = world_of(star_options(4));
  OutputOptions output;
  EXPECT_TRUE(warnings_of_output(output, world).empty());
  output.gpu_time = true;
  ASSERT_EQ(warnings_of_output(output, world).size(), 1u);
  EXPECT_NE(warnings_of_output(output, world)[0].find("no job trains"), std::string::npos);
  world.programs.tasks.resize(1);
  EXPECT_TRUE(warnings_of_output(output, world).empty());
}

TEST(OutputText, CountsTheTimesOfGpus) {
  World world = world_of(star_options(4));
  world.programs.ops.resize(3);  // computations
  world.programs.ops[1].kind = OpKind::wait;
  world.programs.ops[1].group = static_cast<u8>(Group::data);
  world.programs.ops[2].kind = OpKind::wait;  // without a group: no row
  world.programs.streams = {{0, 3}};
  world.programs.programs = {{0, 1}};
  world.programs.tasks.resize(1);
  world.programs.tasks[0].iterations = 1'000'000;
  world.programs.runs.resize(4);
  for (ProgramRun& run : world.programs.runs) run.task = run.program = 0;
  constexpr u64 kRow = 8 + 4 + 1 + 8 + 4;
  EXPECT_EQ(file_size_of(world, false, false).gpu_time_bytes, 0u);
  EXPECT_EQ(file_size_of(world, false, true).gpu_time_bytes, 4 * 1'000'000 * 2 * kRow);
  OutputOptions output;
  output.gpu_time = true;
  EXPECT_NE(output_text(world, output, 1, false).find("(with 200 MB of gpu_time)"), std::string::npos)
      << output_text(world, output, 1, false);
  output.max_bytes = 200'000'000;
  EXPECT_THROW(check_output_budget(output, world), ConfigError) << "and there are other tables";
  output.max_bytes = 400'000'000;
  check_output_budget(output, world);
}

}  // namespace
}  // namespace heddle
