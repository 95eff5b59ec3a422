// A run whose watchers go away: a closed pipe, a terminal that is gone.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Cli, AClosedPipeEndsNoRun) {
  const std::string run = binary_ + " run star.toml ";
  // there is no reader from the start; the progress line comes after a reader of one line has gone
  for (const std::string& line : {run + "-o a.h5 2>&1 | true", run + "-q -o b.h5 | true",
                                  run + "-o c.h5 --set message.0.bytes='\"2 GB\"' 2>&1 | head -1"}) {
    const CommandResult result = shell(line);
    EXPECT_EQ(result.exit_code, 0) << line;
  }
  const CommandResult code = shell("{ " + run + "-q -o d.h5; echo $? > code; } | true; sleep 0.2; cat code");
  EXPECT_NE(code.output.find("0\n"), std::string::npos) << code.output;
  for (const char* name : {"a.h5", "b.h5", "c.h5", "d.h5"}) {
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
    EXPECT_FALSE(fs::exists(folder_ / (std::string(name) + ".lock"))) << name;
    EXPECT_FALSE(fs::exists(folder_ / (std::string(name) + ".part"))) << name;
  }
}

TEST_F(Cli, AClosedPipeEndsNoSweep) {
  const CommandResult result = shell("{ " + binary_ +
                                     " sweep star.toml --axis simulation.seed=1..4 -o many --run --jobs 1; echo $? > "
                                     "code; } 2>&1 | head -1; while [ ! -e code ]; do sleep 0.05; done; cat code");
  EXPECT_NE(result.output.find("\n0\n"), std::string::npos) << result.output;
  for (const char* name : {"0.h5", "1.h5", "2.h5", "3.h5"}) EXPECT_TRUE(fs::exists(folder_ / "many" / name)) << name;
}

TEST_F(Cli, AClosedTerminalEndsARunInOrder) {
  const std::string run = binary_ + " run -q star.toml -o a.h5 --set message.0.bytes='\"1 TB\"'";
  const std::string begun = "until [ -e a.h5.part ]; do sleep 0.01; done; sleep 0.2; kill -HUP $!; kill -HUP $!; ";
  const CommandResult plain = shell(run + " & " + begun + "wait $!");
  EXPECT_EQ(plain.exit_code, 3) << plain.output;
  EXPECT_NE(plain.output.find("status interrupted"), std::string::npos) << plain.output;
  EXPECT_TRUE(fs::exists(at("a.h5"))) << "what was simulated is kept";
  const CommandResult saved = shell(run + " --force --resume auto & " + begun + "wait $!");
  EXPECT_EQ(saved.exit_code, 75) << "twice, as the kernel and the shell send it\n" << saved.output;
  EXPECT_TRUE(fs::exists(at("a.h5.checkpoint_0"))) << saved.output;
  const CommandResult ignored =
      shell("trap '' HUP; " + run + " --force & " + begun + "sleep 0.3; kill -TERM $!; wait $!");
  EXPECT_EQ(ignored.exit_code, 3) << "as under nohup: SIGTERM ended it\n" << ignored.output;
}

}  // namespace
}  // namespace heddle::test
