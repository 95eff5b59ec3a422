// Commands in messages can be copied into a shell, whatever the names of files.
#include <gtest/gtest.h>

#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

TEST_F(Cli, CommandsOfANewSweepCanBeCopied) {
  const CommandResult sweep = heddle("sweep star.toml --axis simulation.seed=1,2 -o 'so many'");
  EXPECT_EQ(sweep.exit_code, 0) << sweep.output;
  for (const char* part : {"2 configurations in so many (", "\n  heddle sweep 'so many' --run\n",
                           "\n  sbatch --array=0-1 slurm/sweep.sbatch 'so many'\n", "\n  heddle compare 'so many'\n"}) {
    EXPECT_NE(sweep.output.find(part), std::string::npos) << part << "\n" << sweep.output;
  }
  const CommandResult odd = heddle("sweep star.toml --axis simulation.seed=1,2 -o \"$(printf 'odd\\033')\"");
  EXPECT_NE(odd.output.find("heddle sweep $'odd\\x1b' --run\n"), std::string::npos) << odd.output;
  EXPECT_EQ(odd.output.find('\x1b'), std::string::npos) << "nothing that a terminal obeys";
}

TEST_F(Cli, CommandForAResultThatIsNoConfigurationCanBeCopied) {
  ASSERT_EQ(heddle("run -q star.toml -o 'a result.h5'").exit_code, 0);
  expect_refused("check 'a result.h5'", "; `heddle info 'a result.h5'` shows what is in it");
}

TEST_F(Cli, ForgottenSetCanBeCopied) {
  expect_refused("check 'simulation.horizon=5 ms'", "so write --set 'simulation.horizon=5 ms'\n");
  expect_refused("check star.toml 'simulation.horizon=5 ms'", "so write --set 'simulation.horizon=5 ms'");
}

}  // namespace
}  // namespace heddle::test
