// heddle compare FOLDER: the configuration in a result is authoritative, and axes.csv is checked against it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class CliLabels : public Cli {
 protected:
  /// Runs hosts 4 and 5 with seeds 1 and 2.
  void run_sweep() {
    const CommandResult result =
        heddle("sweep star.toml --axis topology.hosts=4,5 --axis simulation.seed=1,2 -o s --run");
    ASSERT_EQ(result.exit_code, 0) << result.output;
  }
};

TEST_F(CliLabels, AnEditedTableIsNotBelieved) {
  run_sweep();
  ASSERT_EQ(heddle("compare s").exit_code, 0);
  shell("cp s/axes.csv good.csv; sed -i 's/^0,0.toml,0.h5,4,1/0,0.toml,0.h5,40,1/' s/axes.csv");
  const CommandResult value = heddle("compare s");
  EXPECT_EQ(value.exit_code, 3) << value.output;
  for (const char* part : {"3 of 4 runs have a result", "0: topology.hosts is 4 in s/0.h5/config, axes.csv says 40",
                           "NOT AS CONFIGURED (see above", "40              0  NOT AS CONFIGURED"}) {
    EXPECT_TRUE(has(value.output, part)) << part << "\n" << value.output;
  }
  const CommandResult json = heddle("compare s --json 2>/dev/null");
  EXPECT_TRUE(has(json.output, "\"problem\":\"0: topology.hosts is 4 in")) << json.output;
  const CommandResult warned = heddle("compare s --csv >/dev/null");
  EXPECT_TRUE(has(warned.output, "0: topology.hosts is 4 in s/0.h5/config")) << "above is nothing\n" << warned.output;

  shell("sed 's/topology.hosts/topology.host/' good.csv > s/axes.csv");
  const CommandResult column = heddle("compare s");
  EXPECT_EQ(column.exit_code, 3) << column.output;
  EXPECT_TRUE(has(column.output, "unknown key \"host\"")) << column.output;
  shell("sed 's/simulation.seed/topology.hosts/' good.csv > s/axes.csv");
  expect_refused("compare s", "it has two columns topology.hosts");
  shell("sed 's/,0.h5,/,1.h5,/' good.csv > s/axes.csv");
  expect_refused("compare s", "row 1 is not that of run 0");
}

TEST_F(CliLabels, AnEditedConfigurationIsNotRunOrBelieved) {
  run_sweep();
  shell("sed -i 's/^hosts = 4/hosts = 9/' s/0.toml; rm s/0.h5");
  expect_refused("sweep s --run", "0: topology.hosts is 9 in s/0.toml, axes.csv says 4");
  ASSERT_EQ(heddle("run -q s/0.toml").exit_code, 0);
  const CommandResult result = heddle("compare s --every-run");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_TRUE(has(result.output, "axes.csv says 4")) << result.output;
}

TEST_F(CliLabels, AMissingConfigurationIsOneLine) {
  run_sweep();
  fs::remove(folder_ / "s/1.toml");
  const CommandResult result = heddle("compare s");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_TRUE(has(result.output, "1: s/1.toml is missing\n")) << result.output;
  EXPECT_FALSE(has(result.output, "roce.mtu")) << result.output;
}

TEST_F(CliLabels, InputFilesAndReplacedListsAreRecognised) {
  write("flows.txt", "1\n0 1 3 100 5000 0.0\n");
  write("other.txt", "1\n0 1 3 100 6000 0.0\n");
  write("flows.toml", "[topology]\nkind = \"star\"\nhosts = 4\n");
  ASSERT_EQ(heddle("sweep flows.toml --axis workload.flow_file=flows.txt,other.txt -o f --run").exit_code, 0);
  const CommandResult files = heddle("compare f");
  EXPECT_EQ(files.exit_code, 0) << files.output;
  shell("sed -i 's/,flows.txt/,x.txt/; s/,other.txt/,flows.txt/' f/axes.csv");
  EXPECT_EQ(heddle("compare f").exit_code, 3);
  const CommandResult lists = heddle(
      "sweep flows.toml --axis 'message=[{src=0,dst=1,bytes=5000}],[{src=0,dst=1,bytes=5000},{src=1,dst=2,bytes=9}]' "
      "-o m --run");
  EXPECT_EQ(lists.exit_code, 0) << lists.output;
  const CommandResult presets =
      heddle("sweep star.toml --axis dcqcn.preset=connectx,paper --axis 'dcqcn.cnp_gap=10 us..20 us:10 us' -o p --run");
  EXPECT_EQ(presets.exit_code, 0) << presets.output;
}

TEST_F(CliLabels, LineEndsOfWindowsAreTaken) {
  run_sweep();
  shell("sed -i 's/$/\\r/' s/axes.csv s/runs.txt; printf '\\357\\273\\277' | cat - s/axes.csv > a && mv a s/axes.csv");
  const CommandResult result = heddle("compare s");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(has(result.output, "\n  4               2  complete")) << "seeds are pooled\n" << result.output;
  shell("truncate -s 3G s/axes.csv");
  binary_ = "timeout 5 " + binary_;
  expect_refused("compare s", "axes.csv: cannot read this file");
}

TEST_F(CliLabels, CollectivesThatNoRunFinishedAreShown) {
  write(
      "star.toml",
      "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus = 4\ngpus_per_server = 1\n"
      "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 KiB\", \"64 MiB\"]\n[simulation]\nhorizon = \"1 ms\"\n");
  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1..3 -o s --run").exit_code, 0);
  const CommandResult pooled = heddle("compare s");
  EXPECT_TRUE(has(pooled.output, "all_reduce 64 MiB") && has(pooled.output, "0 of 3 finished")) << pooled.output;
  const CommandResult singly = heddle("compare s --every-run");
  EXPECT_TRUE(has(singly.output, "0 of 4 ranks finished")) << singly.output;
  const CommandResult csv = heddle("compare s --csv");
  for (const char* column : {"paused_ps", "busiest_link_use", "largest_queue_bytes"})
    EXPECT_TRUE(has(csv.output.substr(0, csv.output.find('\n')), column)) << column << "\n" << csv.output;
}

TEST_F(CliLabels, WhyAResultCannotBeReadIsSaidWithoutTheTable) {
  run_sweep();
  write("s/3.h5", "no result");
  for (const char* arguments : {"compare s --json >/dev/null", "compare s --csv >/dev/null"}) {
    const CommandResult result = heddle(arguments);
    EXPECT_TRUE(has(result.output, "3: ") && has(result.output, "not an HDF5 file")) << result.output;
  }
  EXPECT_TRUE(has(heddle("compare s --json 2>/dev/null").output, "not an HDF5 file"));
  const CommandResult again = heddle("sweep s --run >/dev/null");
  EXPECT_TRUE(has(again.output, "not an HDF5 file")) << again.output;
}

TEST_F(CliLabels, AGroupsStatusCountsOnce) {
  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1..3 -o s --run").exit_code, 0);
  shell("cp s/0.h5 s/2.h5");
  const CommandResult result = heddle("compare s");
  EXPECT_TRUE(has(result.output, "2 complete, 1 NOT AS CONFIGURED")) << result.output;
}

TEST_F(CliLabels, FoldersAreComparedOneAtATime) {
  run_sweep();
  expect_refused("compare s s", "'s' is a folder: compare takes the folder of one sweep alone");
  expect_refused("compare s/0.h5 s/", "such as s/0.h5");
}

}  // namespace
}  // namespace heddle::test
