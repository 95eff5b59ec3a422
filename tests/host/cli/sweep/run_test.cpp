// heddle sweep --run: the runs of a sweep as processes on this machine.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "host/cli/sweep/plan.hpp"
#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Cli, SweepRunDoesWhatIsMissing) {
  const CommandResult all = heddle("sweep star.toml --axis simulation.seed=1..3 -o many --run --jobs 2");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  EXPECT_TRUE(has(all.output, "3 of 3 runs to do, 2 at a time")) << all.output;
  EXPECT_TRUE(has(all.output, "1 simulation.seed=2: [") && has(all.output, "] complete in ")) << all.output;
  for (const char* name : {"0.h5", "1.h5", "2.h5", "0.log"}) EXPECT_TRUE(fs::exists(folder_ / "many" / name)) << name;
  EXPECT_TRUE(has(shell("cat many/2.log").output, "status complete"));

  fs::remove(folder_ / "many/1.h5");
  const CommandResult one = heddle("sweep many --run");
  EXPECT_EQ(one.exit_code, 0) << one.output;
  EXPECT_TRUE(has(one.output, "1 of 3 runs to do") && has(one.output, "1 simulation.seed=2: started")) << one.output;
  EXPECT_FALSE(has(one.output, "simulation.seed=3: started")) << one.output;

  const CommandResult none = heddle("sweep star.toml --axis simulation.seed=1..3 -o many --run");
  EXPECT_EQ(none.exit_code, 0) << none.output;
  EXPECT_FALSE(has(none.output, "started")) << "the same command, and all is there\n" << none.output;
  expect_refused("sweep star.toml --axis simulation.seed=1..4 -o many --run", "the sweep in it is not this one");
}

TEST_F(Cli, SweepSaysWhatItsRunsWarnOf) {
  write("zone.toml",
        "[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
        "[[message]]\nsrc = 0\ndst = 2\nbytes = \"64 KiB\"\n");
  const std::string sweep = "sweep zone.toml --axis routing.policy=ecmp,spray,adaptive -o many --run";
  const CommandResult ran = heddle(sweep), compared = heddle("compare many");
  for (const CommandResult& result : {ran, compared}) {
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_TRUE(has(result.output, "warning, run 1: routing policy spray (")) << result.output;
    EXPECT_TRUE(has(result.output, "warning, run 2: routing policy adaptive (")) << result.output;
  }
  const CommandResult calm = heddle("sweep zone.toml --axis simulation.seed=1,2 -o calm --run");
  EXPECT_FALSE(has(calm.output, "warning")) << calm.output;
}

TEST_F(Cli, SweepRunSaysWhatFailed) {
  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1,2 -o many").exit_code, 0);
  for (const char* name : {"many/0.h5.lock", "many/1.h5.lock"}) write(name, "precious");
  const CommandResult poor = heddle("sweep many --run");
  EXPECT_EQ(poor.exit_code, 3) << poor.output;
  for (const char* part :
       {"1 simulation.seed=2: [", "FAILED after ", "with exit code 2; see many/1.log\n      error: ",
        "it holds something else than the lock of a run", "MISSING (never started, or refused: see its log): 0 1\n"}) {
    EXPECT_TRUE(has(poor.output, part)) << part << "\n" << poor.output;
  }
  shell("rm many/*.lock; echo nonsense > many/0.toml");
  const CommandResult half = heddle("sweep many --run");
  EXPECT_EQ(half.exit_code, 3) << half.output;
  EXPECT_TRUE(has(half.output, "not TOML") && has(half.output, "] complete in ")) << half.output;
}

TEST_F(Cli, SweepRunStoppedResumes) {
  write("long.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[[message]]\nsrc = 0\ndst = 1\nbytes = \"4 GB\"\n");  // about a second
  ASSERT_EQ(heddle("sweep long.toml --axis simulation.seed=1,2 -o 'so many'").exit_code, 0);
  const CommandResult stopped =
      shell("{ " + binary_ +
            " sweep 'so many' --run --jobs 1 & } 2>&1; p=$!; until [ -e 'so many/0.h5.part' ]; do sleep 0.01; done; " +
            binary_ + " sweep 'so many' --run; echo second $?; kill -INT $p; wait $p");
  EXPECT_EQ(stopped.exit_code, 75) << stopped.output;
  for (const char* part :
       {"another `heddle sweep --run` runs this sweep now", "second 2\n", "stopping: 1 run has to save",
        "0 simulation.seed=1: saved after", "stopped; to resume:\n  heddle sweep 'so many' --run\n"}) {
    EXPECT_TRUE(has(stopped.output, part)) << part << "\n" << stopped.output;
  }
  EXPECT_FALSE(has(stopped.output, "simulation.seed=2: started")) << stopped.output;
  EXPECT_FALSE(fs::exists(folder_ / "so many/0.h5"));
  const CommandResult rest = heddle("sweep 'so many' --run");
  EXPECT_EQ(rest.exit_code, 0) << rest.output;
  EXPECT_TRUE(has(shell("cat 'so many/0.log'").output, "resuming from so many/0.h5.checkpoint_0"))
      << "and the log is kept";
  ASSERT_EQ(heddle("run -q 'so many/0.toml' -o whole.h5").exit_code, 0);
  const auto digest = [&](const std::string& file) {
    return shell(binary_ + " info " + file + " | grep ' digest ' | grep -o '[0-9a-f]\\{16\\}'").output;
  };
  EXPECT_EQ(digest("'so many/0.h5'").size(), 17u) << heddle("info 'so many/0.h5'").output;
  EXPECT_EQ(digest("'so many/0.h5'"), digest("whole.h5"));
}

TEST_F(Cli, SweepRunRefusesWhatCannotBe) {
  expect_refused("sweep star.toml --axis simulation.seed=1,2 --jobs 2", "--jobs requires --run");
  expect_refused("sweep nowhere --run", "there is no such file or folder");
  fs::create_directories(folder_ / "empty");
  expect_refused("sweep empty --run", "is no folder of a sweep");
  expect_refused("sweep empty", "add --run");
  expect_refused("sweep empty --run --axis simulation.seed=1,2", "would have no effect");
  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1,2 -o many").exit_code, 0);
  expect_refused("sweep many --run --jobs 2 --memory 100000GiB", "do not fit into");
  expect_refused("sweep many --run --memory plenty", "--memory plenty");
  expect_refused("sweep many --run --jobs 2 --memory 1KiB", "but the run may use 1.024 KB (--memory 1KiB)");
  EXPECT_FALSE(fs::exists(folder_ / "many/0.log"));
  for (const char* more :
       {"--device gpu", "--jobs 2 --memory 1KiB", "--memory plenty", "--jobs 2 --memory 100000GiB"}) {
    const CommandResult result = heddle(std::string("sweep star.toml --axis simulation.seed=1,2 -o new --run ") + more);
    if (result.exit_code == 0) continue;  // there is a GPU
    EXPECT_EQ(result.exit_code, 2) << more << "\n" << result.output;
    EXPECT_FALSE(fs::exists(folder_ / "new")) << more << ": nothing was written";
  }
}

TEST(SweepPlan, JobsFitIntoCoresAndMemory) {
  EXPECT_EQ(jobs_that_fit(10, 100, 4), 4u);
  EXPECT_EQ(jobs_that_fit(30, 100, 4), 3u);
  EXPECT_EQ(jobs_that_fit(300, 100, 4), 1u) << "the run itself says that it does not fit";
  EXPECT_EQ(jobs_that_fit(0, 100, 4), 4u);
  EXPECT_EQ(jobs_that_fit(10, 100, 0), 1u) << "more threads than cores";
}

}  // namespace
}  // namespace heddle::test
