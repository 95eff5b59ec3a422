// `heddle selftest` from outside: a line for every world, a verdict, and no pass where there is nothing to test.
#include <gtest/gtest.h>

#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

TEST_F(Cli, SelfTestPassesOnTheCpu) {
  const CommandResult result = heddle("selftest --device cpu --worlds 3");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("\nPASSED: all 3 worlds gave the same bits"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("   1  pauses "), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("   4  "), std::string::npos) << result.output;
  EXPECT_TRUE(std::filesystem::equivalent(folder_, folder_ / "."));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "it writes no files";
}

/// Its digests show whether two machines compute the same.
TEST_F(Cli, SelfTestSaysTheSameEveryTime) {
  const auto rows = [&](const std::string& arguments) {
    const std::string text = heddle("selftest --device cpu " + arguments).output;
    return text.substr(0, text.find("\nPASSED"));
  };
  EXPECT_EQ(rows("--worlds 2"), rows("--worlds 2"));
}

TEST_F(Cli, SelfTestWithoutAGpuIsNoPass) {
  const CommandResult result = shell("CUDA_VISIBLE_DEVICES= " + binary_ + " selftest --device gpu --worlds 1");
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_NE(result.output.find("error: --device gpu: "), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("PASSED"), std::string::npos) << result.output;
}

TEST_F(Cli, SelfTestRefusesWhatItDoesNotTake) {
  expect_refused("selftest --worlds 0", "--worlds: Value 0 not in range");
  expect_refused("selftest --device tpu", "--device");
  expect_refused("selftest star.toml", "\"star.toml\" is more than it takes");
}

}  // namespace
}  // namespace heddle::test
