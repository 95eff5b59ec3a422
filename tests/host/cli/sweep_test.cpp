// heddle sweep, and heddle compare of the folder that it wrote.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Cli, SweepWritesEveryCombination) {
  const CommandResult result = heddle(
      "sweep star.toml --axis dcqcn.enabled=true,false --axis simulation.seed=1..3 --set topology.hosts=5 "
      "--set output.fct_file=all.txt -o many");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(text_of(folder_ / "many" / "axes.csv"),
            "run,dcqcn.enabled,simulation.seed\n0,true,1\n1,true,2\n2,true,3\n3,false,1\n4,false,2\n5,false,3\n");
  const std::string run = text_of(folder_ / "many" / "4.toml");
  for (const char* part : {"# run 4 of 6 of star.toml: dcqcn.enabled=false simulation.seed=2\n", "seed = 2\n",
                           "hosts = 5\n", "many/4.h5\"\n", "many/4.fct.txt\"\n"}) {
    EXPECT_NE(run.find(part), std::string::npos) << part << run;
  }
  const CommandResult all =
      shell("while read -r config; do " + binary_ + " run -q \"$config\" || exit 1; done < many/runs.txt");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  for (const char* name : {"0.h5", "5.h5", "5.fct.txt"}) EXPECT_TRUE(fs::exists(folder_ / "many" / name)) << name;
  const CommandResult difference = heddle("compare many/1.h5 many/4.h5");
  EXPECT_NE(difference.output.find("dcqcn.enabled"), std::string::npos) << difference.output;
}

TEST_F(Cli, SweepKeepsCommasWithinBrackets) {
  write("job.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus = 4\ngpus_per_server = 1\n"
        "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 MiB\"]\n");
  const CommandResult result =
      heddle("sweep job.toml --axis 'job.0.collective.0.sizes=[\"1 MiB\",\"2 MiB\"],[\"3 MiB\"]' -o s");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(text_of(folder_ / "s" / "axes.csv"),
            "run,job.0.collective.0.sizes\n0,\"[\"\"1 MiB\"\",\"\"2 MiB\"\"]\"\n1,\"[\"\"3 MiB\"\"]\"\n");
}

TEST_F(Cli, SweepNamesFilesFromTheRoot) {
  fs::create_directories(folder_ / "sub");
  write("sub/flows.txt", "1\n0 1 3 100 5000 0.0\n");
  write("sub/flows.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[workload]\nflow_file = \"flows.txt\"\n");
  const CommandResult result = heddle("sweep sub/flows.toml --axis simulation.seed=1,2 -o deep/er");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(heddle("run -q deep/er/1.toml").exit_code, 0) << heddle("run -q --force deep/er/1.toml").output;
}

TEST_F(Cli, SweepRefusesBeforeItWrites) {
  expect_refused("sweep star.toml", "--axis is required");
  expect_refused("sweep star.toml --axis simulation.seed", "there is no key before \"=\"");
  expect_refused("sweep star.toml --axis simulation.seed=3..1", "1 is below 3");
  expect_refused("sweep star.toml --axis simulation.seed=0..9223372036854775807", "more than 10000 values");
  expect_refused("sweep star.toml --axis simulation.seed=1,2,1", "1 is there twice");
  expect_refused("sweep star.toml --axis simulation.seed=1,,2", "a value is empty");
  expect_refused("sweep star.toml --axis simulation.seed=1..200 --axis topology.hosts=2..99", "more than 10000 runs");
  expect_refused("sweep star.toml --axis simulation.seed=1 --axis simulation.seed=2", "two axes of simulation.seed");
  expect_refused("sweep star.toml --axis simulation.sed=1,2", "did you mean \"seed\"");
  EXPECT_FALSE(fs::exists(folder_ / "star_sweep"));
  fs::create_directories(folder_ / "star_sweep");
  expect_refused("sweep star.toml --axis simulation.seed=1,2", "it is there already");
  EXPECT_EQ(heddle("sweep star.toml --axis simulation.seed=1,2 --force").exit_code, 0);
}

TEST_F(Cli, CompareSaysWhichRunsOfASweepAreMissing) {
  write("star.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus = 4\ngpus_per_server = 1\n"
        "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 MiB\"]\n");
  ASSERT_EQ(heddle("sweep star.toml --axis 'job.0.collective.0.sizes=[\"1 MiB\",\"2 MiB\"],[\"3 MiB\"]' "
                   "--axis simulation.seed=1..3 -o many")
                .exit_code,
            0);
  for (const char* name : {"0", "1", "3", "5"})
    ASSERT_EQ(heddle(std::string("run -q many/") + name + ".toml").exit_code, 0);
  fs::rename(folder_ / "many/1.h5", folder_ / "many/1.h5.part");
  write("many/2.h5.part", "");
  write("many/2.h5.checkpoint_1", "");
  write("many/3.h5", "no result");
  const CommandResult some = heddle("compare many");
  EXPECT_EQ(some.exit_code, 3) << some.output;
  for (const char* part :
       {"2 of 6 runs have a result", "\n  0           [\"1 MiB\",\"2 MiB\"]                1        complete ",
        "not an HDF5 file", "see its log): 4\n", "starts it anew): 1\n", "--resume auto): 2\n",
        "UNREADABLE (see above): 3\n", "all_reduce ring 3 MiB"}) {
    EXPECT_NE(some.output.find(part), std::string::npos) << part << "\n" << some.output;
  }
  fs::remove(folder_ / "many/3.h5");
  for (const char* name : {"1", "2", "3", "4"})
    ASSERT_EQ(heddle(std::string("run -q --force many/") + name + ".toml").exit_code, 0);
  fs::rename(folder_ / "many", folder_ / "moved");
  const CommandResult all = heddle("compare moved");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  EXPECT_NE(all.output.find("6 of 6 runs have a result"), std::string::npos) << all.output;
  EXPECT_EQ(all.output.find("MISSING"), std::string::npos) << all.output;
  EXPECT_EQ(all.output.find("NOT AS CONFIGURED NOW"), std::string::npos) << all.output;

  shell("sed -i 's/seed = 2/seed = 9/' moved/4.toml");
  EXPECT_NE(heddle("compare moved").output.find("4: simulation.seed was run with 2, moved/4.toml says 9"),
            std::string::npos);
  shell("sed -i '$d' moved/axes.csv");
  expect_refused("compare moved", "5 rows for 6 runs");
}

}  // namespace
}  // namespace heddle::test
