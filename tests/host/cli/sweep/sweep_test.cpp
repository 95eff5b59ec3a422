// heddle sweep, and heddle compare of the folder that it wrote.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Cli, SweepWritesEveryCombination) {
  const CommandResult result = heddle(
      "sweep star.toml --axis dcqcn.enabled=true,false --axis simulation.seed=1..3 --set topology.hosts=5 "
      "--set output.fct_file=all.txt -o many");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(test::file_bytes(folder_ / "many" / "axes.csv"),
            "run,config,result,dcqcn.enabled,simulation.seed\n0,0.toml,0.h5,true,1\n1,1.toml,1.h5,true,2\n"
            "2,2.toml,2.h5,true,3\n3,3.toml,3.h5,false,1\n4,4.toml,4.h5,false,2\n5,5.toml,5.h5,false,3\n");
  EXPECT_EQ(test::file_bytes(folder_ / "many" / "runs.txt"), "0.toml\n1.toml\n2.toml\n3.toml\n4.toml\n5.toml\n");
  const std::string run = test::file_bytes(folder_ / "many" / "4.toml");
  for (const char* part :
       {"# run 4 of 6 of star.toml: dcqcn.enabled=false simulation.seed=2\n", "seed = 2\n", "hosts = 5\n",
        "file = \"4.h5\"\n", "fct_file = \"4.fct.txt\"\n", "relative_to = \"configuration_folder\"\n"}) {
    EXPECT_NE(run.find(part), std::string::npos) << part << run;
  }
  const CommandResult all =
      shell("while read -r config; do " + binary_ + " run -q \"many/$config\" || exit 1; done < many/runs.txt");
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
  EXPECT_EQ(test::file_bytes(folder_ / "s" / "axes.csv"),
            "run,config,result,job.0.collective.0.sizes\n0,0.toml,0.h5,\"[\"\"1 MiB\"\",\"\"2 MiB\"\"]\"\n"
            "1,1.toml,1.h5,\"[\"\"3 MiB\"\"]\"\n");
}

TEST_F(Cli, SweepsOverMatricesRunAndCompare) {
  write("even.txt", "0 5000\n5000 0\n");
  write("uneven.txt", "0 9000\n1000 0\n");
  write("v.toml",
        "[topology]\nkind = \"star\"\nhosts = 2\n[[job]]\ngpus_per_server = 1\n"
        "[[job.collective]]\nkind = \"all_to_all_v\"\nmatrix_file = \"even.txt\"\n");
  const CommandResult result =
      heddle("sweep v.toml --axis job.0.collective.0.matrix_file=even.txt,uneven.txt -o m --run");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const CommandResult compared = heddle("compare m");
  EXPECT_EQ(compared.exit_code, 0) << compared.output;
}

TEST_F(Cli, SweepsFolderCanBeMovedWithWhatItReads) {
  fs::create_directories(folder_ / "sub");
  write("sub/flows.txt", "1\n0 1 3 100 5000 0.0\n");
  write("sub/flows.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[workload]\nflow_file = \"flows.txt\"\n");
  fs::create_directories(folder_ / "deep");
  const CommandResult result =
      heddle("sweep sub/flows.toml --axis simulation.seed=1..2 --set output.fct_file=yes -o deep/er/");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  ASSERT_EQ(heddle("run -q deep/er/0.toml").exit_code, 0);
  fs::rename(folder_ / "deep/er", folder_ / "moved");
  fs::remove_all(folder_ / "sub");
  const std::string root = folder_.string();
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / "moved")) {
    if (!entry.is_regular_file() || entry.path().extension() == ".h5") continue;
    EXPECT_EQ(test::file_bytes(entry.path()).find(root), std::string::npos) << entry.path();
  }
  const CommandResult run = shell("cd moved && " + binary_ + " run -q 1.toml");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_TRUE(fs::exists(folder_ / "moved/1.h5"));
  EXPECT_TRUE(fs::exists(folder_ / "moved/1.fct.txt"));
  EXPECT_EQ(heddle("run -q --resume auto moved/0.toml").exit_code, 0) << "it is still the result of this run";
  EXPECT_EQ(heddle("compare moved").exit_code, 0);
}

TEST_F(Cli, SweepTakesInputsByWhatIsInThem) {
  write("flows.txt", "1\n0 1 3 100 5000 0.0\n");
  write("flows.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[workload]\nflow_file = \"flows.txt\"\n");
  const std::string sweep = "sweep flows.toml --axis simulation.seed=1,2 -o many";
  ASSERT_EQ(heddle(sweep).exit_code, 0);
  ASSERT_EQ(heddle("run -q many/0.toml").exit_code, 0);
  EXPECT_EQ(heddle(sweep + " --force").exit_code, 0) << "nothing is different";
  write("flows.txt", "1\n0 1 3 100 6000 0.0\n");
  expect_refused(sweep + " --force", "many/0.h5");
  fs::remove(folder_ / "many/0.h5");
  EXPECT_EQ(heddle(sweep + " --force").exit_code, 0);
  const auto inputs = fs::directory_iterator(folder_ / "many/inputs");
  EXPECT_EQ(std::distance(begin(inputs), end(inputs)), 1) << "the copy that no run names any more is gone";
  shell("mkfifo pipe.txt");
  expect_refused("sweep flows.toml --axis simulation.seed=1,2 --set workload.flow_file=pipe.txt -o other",
                 "it is a pipe");
}

TEST_F(Cli, SweepTakesTraces) {
  write("two.goal", "num_ranks 2\nrank 0 {\nsend 64b to 1 tag 1\n}\nrank 1 {\nrecv 64b from 0 tag 1\n}\n");
  write("trace.toml",
        "[topology]\nkind = \"star\"\nhosts = 8\n[[job]]\ngpus = 2\ngpus_per_server = 1\n[job.trace]\n"
        "format = \"goal\"\nfile = \"two.goal\"\n");
  ASSERT_EQ(heddle("sweep trace.toml --axis simulation.seed=1,2 -o traces").exit_code, 0);
  EXPECT_EQ(heddle("run -q traces/0.toml").exit_code, 0);
}

TEST_F(Cli, SweepIsWrittenWholeOrNotAtAll) {
  fs::create_directories(folder_ / "deep");
  const std::string full = "ulimit -f 2; ";  // blocks of 512 B: a configuration is longer
  const CommandResult fresh = shell(full + binary_ + " sweep star.toml --axis simulation.seed=1..3 -o deep/many");
  EXPECT_EQ(fresh.exit_code, 1) << fresh.output;
  EXPECT_NE(fresh.output.find("File too large; nothing of the sweep was written"), std::string::npos) << fresh.output;
  EXPECT_TRUE(fs::is_empty(folder_ / "deep"));

  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1..3 -o many").exit_code, 0);
  const CommandResult before = shell("cat many/*");
  EXPECT_EQ(shell(full + binary_ + " sweep star.toml --axis simulation.seed=5,6 -o many --force").exit_code, 1);
  EXPECT_EQ(shell("cat many/*").output, before.output);
  EXPECT_EQ(shell("ls -A many").output, "0.toml\n1.toml\n2.toml\naxes.csv\nruns.txt\n");
}

TEST_F(Cli, SweepRefusesWhatWouldHaveNoEffect) {
  expect_refused("sweep star.toml --axis simulation.seed=1,2 --set simulation.seed=7", "leave one of them out");
  expect_refused("sweep star.toml --axis message.00.bytes=1KB,2KB --set message.0.bytes=7", "leave one of them out");
  expect_refused("sweep star.toml --axis class.lossless.pfc=true,false --axis class.lossless.pfc=true", "two axes of");
  expect_refused("sweep star.toml --axis output.file=a.h5,b.h5", "names the files of every run itself");
  expect_refused("sweep star.toml --axis simulation.seed=1,2 --set output.file=a.h5", "names the files of every run");
  expect_refused("sweep star.toml --axis message.0.bytes=1KB,1000",
                 "it would be the same as run 0: message.0.bytes=1KB");
  EXPECT_FALSE(fs::exists(folder_ / "star_sweep"));
}

TEST_F(Cli, SweepRefusesBeforeItWrites) {
  expect_refused("sweep star.toml", "--axis is required");
  expect_refused("sweep star.toml --axis simulation.seed", "--axis simulation.seed: there is no \"=\"");
  expect_refused("sweep star.toml --axis =1,2", "there is no key before \"=\"");
  expect_refused("sweep star.toml --axis simulation.seed=3..1", "1 is below 3");
  expect_refused("sweep star.toml --axis simulation.seed=0..9223372036854775807", "more than 10000 values");
  expect_refused("sweep star.toml --axis simulation.seed=1,2,1", "1 is there twice");
  expect_refused("sweep star.toml --axis simulation.seed=1,,2", "a value is empty");
  expect_refused("sweep star.toml --axis simulation.seed=1..200 --axis topology.hosts=2..99", "more than 10000 runs");
  expect_refused("sweep star.toml --axis simulation.seed=1 --axis simulation.seed=2", "two axes of simulation.seed");
  expect_refused("sweep star.toml --axis simulation.sed=1,2", "--axis simulation.sed=1: unknown key \"sed\" in ");
  expect_refused("sweep star.toml --axis simulation.sed=1,2", "did you mean \"seed\"");
  expect_refused("sweep star.toml --axis simulation.seed=1,2 -o no/such", "folder 'no' does not exist");
  EXPECT_FALSE(fs::exists(folder_ / "no"));
  EXPECT_FALSE(fs::exists(folder_ / "star_sweep"));
  fs::create_directories(folder_ / "star_sweep");
  expect_refused("sweep star.toml --axis simulation.seed=1,2", "it is there already");
  EXPECT_EQ(heddle("sweep star.toml --axis simulation.seed=1,2 --force").exit_code, 0);
}

TEST_F(Cli, SweepRefusesRunsThatCannotBe) {
  write("incast.toml",
        "[topology]\nkind = \"star\"\nhosts = 8\n[[generator]]\nkind = \"incast\"\nfan_in = 3\nbytes = 100\n");
  const std::string sweep = "sweep incast.toml --axis simulation.seed=1,2 --axis generator.0.target=3,9";
  expect_refused(sweep, "run 1: simulation.seed=1 generator.0.target=9: ");
  expect_refused("sweep incast.toml --axis 'output.series_interval=\"10 us\",\"1 ns\"'",
                 "run 1: output.series_interval=\"1 ns\": output.series_interval: 1 ns is less than");
  write("empty.toml", "[topology]\nkind = \"star\"\nhosts = 4\n");
  expect_refused("sweep empty.toml --axis topology.hosts=4,5", "run 0: topology.hosts=4: nothing to simulate");
  EXPECT_FALSE(fs::exists(folder_ / "empty_sweep"));
  EXPECT_FALSE(fs::exists(folder_ / "incast_sweep"));
  EXPECT_EQ(heddle(sweep + " --set topology.hosts=10").exit_code, 0);
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
  const CommandResult some = heddle("compare many --every-run");
  EXPECT_EQ(some.exit_code, 3) << some.output;
  for (const char* part :
       {"2 of 6 runs have a result", "\n  0           [\"1 MiB\",\"2 MiB\"]                1        complete ",
        "not an HDF5 file", "see its log): 4\n", "starts it anew): 1\n", "--resume auto): 2\n",
        "UNREADABLE (see above): 3\n", "all_reduce 3 MiB"}) {
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

  shell("sed -i '$d' moved/axes.csv");
  expect_refused("compare moved", "5 rows for 6 runs");
}

TEST_F(Cli, CompareTakesSeedsTogether) {
  write("poisson.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[[generator]]\nkind = \"poisson\"\nload = 0.3\nbytes = \"64 KiB\"\n");
  ASSERT_EQ(
      heddle("sweep poisson.toml --axis simulation.seed=1..3 --axis generator.0.load=0.2,0.4 -o many --run").exit_code,
      0);
  const CommandResult all = heddle("compare many");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  for (const char* part : {"  generator.0.load  n    status  ", "\n  0.2               3  complete  ", " +- ",
                           "95 % confidence interval (Student's t, n - 1 degrees of freedom"}) {
    EXPECT_NE(all.output.find(part), std::string::npos) << part << "\n" << all.output;
  }
  EXPECT_EQ(all.output.find("simulation.seed  "), std::string::npos) << all.output;

  fs::remove(folder_ / "many/0.h5");  // load 0.2, seed 1
  const CommandResult some = heddle("compare many");
  EXPECT_EQ(some.exit_code, 3) << some.output;
  EXPECT_NE(some.output.find("\n  0.2               2  1 MISSING, 2 complete  "), std::string::npos) << some.output;
  fs::remove(folder_ / "many/2.h5");
  const CommandResult one = heddle("compare many");
  const std::string line = one.output.substr(one.output.find("\n  0.2 "));
  EXPECT_EQ(line.substr(0, line.find('\n', 1)).find("+-"), std::string::npos) << "of one run nothing can be said\n"
                                                                              << line;

  const CommandResult singly = heddle("compare many --every-run");
  EXPECT_NE(singly.output.find("\n  5                  3               0.4  complete  "), std::string::npos)
      << singly.output;
  EXPECT_EQ(singly.output.find("+-"), std::string::npos) << singly.output;
  expect_refused("compare many/1.h5 many/3.h5 --every-run", "give it with the folder of a sweep");
}

TEST_F(Cli, CompareSaysHowEvenTheUplinksOfASweepWere) {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  write("zone.toml",
        "[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 4\nctsws = 4\nuplinks_per_rtsw = 4\n"
        "[roce]\nrecovery = \"selective_repeat\"\n[[message]]\nsrc = 0\ndst = 5\nbytes = \"1 MiB\"\n");
  ASSERT_EQ(heddle("sweep zone.toml --axis routing.policy=ecmp,spray -o s --run").exit_code, 0);
  const CommandResult text = heddle("compare s");
  EXPECT_TRUE(has(text.output, "rtsw>ctsw busiest/mean")) << text.output;
  EXPECT_FALSE(has(text.output, "rtsw>endpoint busiest/mean")) << text.output;
  const CommandResult csv = heddle("compare s --csv");
  EXPECT_TRUE(has(csv.output,
                  "rtsw>ctsw.busiest_over_mean,rtsw>ctsw.busiest_over_mean_in_time,"
                  "rtsw>ctsw.jain_index,rtsw>ctsw.most_qps"))
      << csv.output;
}

TEST_F(Cli, CompareMarksResultsOfAnotherConfiguration) {
  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1..3 -o many").exit_code, 0);
  for (const char* name : {"0", "1", "2"}) ASSERT_EQ(heddle(std::string("run -q many/") + name + ".toml").exit_code, 0);
  shell("sed -i 's/series_interval = .*/series_interval = \"77 us\"/' many/0.toml");
  const CommandResult written = heddle("compare many");
  EXPECT_EQ(written.exit_code, 0) << "what is simulated is the same\n" << written.output;
  EXPECT_NE(written.output.find("otherwise\n  0: output.series_interval was run with"), std::string::npos)
      << written.output;
  fs::rename(folder_ / "many/2.h5", folder_ / "many/1.h5");
  shell("cp many/1.h5 many/2.h5");
  const CommandResult wrong = heddle("compare many --every-run");
  EXPECT_EQ(wrong.exit_code, 3) << wrong.output;
  for (const char* part : {"2 of 3 runs have a result", "\n  1                  2  complete, NOT AS CONFIGURED ",
                           "1: simulation.seed was run with 3, many/1.toml says 2", "runs what N.toml says): 1\n"}) {
    EXPECT_NE(wrong.output.find(part), std::string::npos) << part << "\n" << wrong.output;
  }
}

TEST_F(Cli, SweepIntoAFolderKeepsResultsOrRefuses) {
  const auto sweep = [&](const std::string& axes) { return heddle("sweep star.toml --force -o many " + axes); };
  ASSERT_EQ(sweep("--axis simulation.seed=1..4").exit_code, 0);
  ASSERT_EQ(heddle("run -q many/1.toml").exit_code, 0);
  EXPECT_EQ(sweep("--axis simulation.seed=1..5").exit_code, 0) << "run 1 is what it was";
  EXPECT_EQ(sweep("--axis simulation.seed=1,2").exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "many/2.toml")) << "a configuration of no run of the sweep";
  EXPECT_TRUE(fs::exists(folder_ / "many/1.h5"));
  const std::string before = test::file_bytes(folder_ / "many/runs.txt");
  expect_refused("sweep star.toml --force -o many --axis simulation.seed=1,3", "many/1.h5");
  expect_refused("sweep star.toml --force -o many --axis simulation.seed=1", "many/1.h5");
  fs::rename(folder_ / "many/1.h5", folder_ / "many/1.h5.checkpoint_0");
  expect_refused("sweep star.toml --force -o many --axis simulation.seed=1,3", "many/1.h5.checkpoint_0");
  EXPECT_EQ(test::file_bytes(folder_ / "many/runs.txt"), before);
}

}  // namespace
}  // namespace heddle::test
