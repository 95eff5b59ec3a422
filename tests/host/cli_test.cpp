// The command line from outside: exit codes, refusals before anything is written, a whole small run.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Result {
  int exit_code = -1;
  std::string output;  // stdout and stderr together
};

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const char* binary = std::getenv("HEDDLE_BINARY");
    if (binary == nullptr || !fs::exists(binary)) GTEST_SKIP() << "HEDDLE_BINARY names no program";
    binary_ = binary;
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("heddle_cli_" + test + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write("star.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[[message]]\nsrc = 0\ndst = 1\nbytes = \"64 KiB\"\n");
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  Result heddle(const std::string& arguments) const { return shell(binary_ + " " + arguments); }

  Result shell(const std::string& line) const {
    const std::string command = "cd " + folder_.string() + " && { " + line + "; } 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    Result result;
    std::array<char, 4096> buffer;
    while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }

  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Result result = heddle(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.output;
    EXPECT_NE(result.output.find(message), std::string::npos) << arguments << "\n" << result.output;
  }

  std::string binary_;
  fs::path folder_;
};

TEST_F(Cli, HelpDocumentsExitCodes) {
  const Result result = heddle("--help");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.output.find("75  a checkpoint was written"), std::string::npos) << result.output;
  EXPECT_EQ(heddle("--version").exit_code, 0);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Cli, SweepWritesEveryCombination) {
  const Result result = heddle(
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
  const Result all =
      shell("while read -r config; do " + binary_ + " run -q \"$config\" || exit 1; done < many/runs.txt");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  for (const char* name : {"0.h5", "5.h5", "5.fct.txt"}) EXPECT_TRUE(fs::exists(folder_ / "many" / name)) << name;
  const Result difference = heddle("compare many/1.h5 many/4.h5");
  EXPECT_NE(difference.output.find("dcqcn.enabled"), std::string::npos) << difference.output;
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
  const Result some = heddle("compare many");
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
  const Result all = heddle("compare moved");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  EXPECT_NE(all.output.find("6 of 6 runs have a result"), std::string::npos) << all.output;
  EXPECT_EQ(all.output.find("MISSING"), std::string::npos) << all.output;
  EXPECT_EQ(all.output.find("NOT AS CONFIGURED NOW"), std::string::npos) << all.output;

  shell("sed -i '$d' moved/axes.csv");
  expect_refused("compare moved", "5 rows for 6 runs");
}

TEST_F(Cli, CompareMarksResultsOfAnotherConfiguration) {
  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1..3 -o many").exit_code, 0);
  for (const char* name : {"0", "1", "2"}) ASSERT_EQ(heddle(std::string("run -q many/") + name + ".toml").exit_code, 0);
  shell("sed -i 's/series_interval = .*/series_interval = \"77 us\"/' many/0.toml");
  const Result written = heddle("compare many");
  EXPECT_EQ(written.exit_code, 0) << "what is simulated is the same\n" << written.output;
  EXPECT_NE(written.output.find("otherwise\n  0: output.series_interval was run with"), std::string::npos)
      << written.output;
  fs::rename(folder_ / "many/2.h5", folder_ / "many/1.h5");
  shell("cp many/1.h5 many/2.h5");
  const Result wrong = heddle("compare many");
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
  const std::string before = text_of(folder_ / "many/runs.txt");
  expect_refused("sweep star.toml --force -o many --axis simulation.seed=1,3", "many/1.h5");
  expect_refused("sweep star.toml --force -o many --axis simulation.seed=1", "many/1.h5");
  fs::rename(folder_ / "many/1.h5", folder_ / "many/1.h5.checkpoint_0");
  expect_refused("sweep star.toml --force -o many --axis simulation.seed=1,3", "many/1.h5.checkpoint_0");
  EXPECT_EQ(text_of(folder_ / "many/runs.txt"), before);
}

TEST_F(Cli, SweepNamesFilesFromTheRoot) {
  fs::create_directories(folder_ / "sub");
  write("sub/flows.txt", "1\n0 1 3 100 5000 0.0\n");
  write("sub/flows.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[workload]\nflow_file = \"flows.txt\"\n");
  const Result result = heddle("sweep sub/flows.toml --axis simulation.seed=1,2 -o deep/er");
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

TEST_F(Cli, SweepKeepsCommasWithinBrackets) {
  write("job.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus = 4\ngpus_per_server = 1\n"
        "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 MiB\"]\n");
  const Result result =
      heddle("sweep job.toml --axis 'job.0.collective.0.sizes=[\"1 MiB\",\"2 MiB\"],[\"3 MiB\"]' -o s");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(text_of(folder_ / "s" / "axes.csv"),
            "run,job.0.collective.0.sizes\n0,\"[\"\"1 MiB\"\",\"\"2 MiB\"\"]\"\n1,\"[\"\"3 MiB\"\"]\"\n");
}

TEST_F(Cli, BadArgumentsAreRefused) {
  expect_refused("", "subcommand");
  expect_refused("frobnicate", "\"frobnicate\" is no subcommand; `heddle --help` lists them");
  expect_refused("chekc star.toml", "\"chekc\" is no subcommand, did you mean \"check\"?");
  expect_refused("check star.toml --frobnicate", "--frobnicate");
  expect_refused("run", "CONFIG");
  expect_refused("run missing.toml", "missing.toml: cannot open this configuration file");
  expect_refused("run star.toml --device tpu", "--device");
  expect_refused("run star.toml --device gpu --threads 2 -o a.h5", "--threads: the CPU's threads do not work with");
  expect_refused("run star.toml --set topology.host=3 -o a.h5", "did you mean \"hosts\"?");
  expect_refused("run star.toml --resume none.ck -o a.h5", "none.ck");
  expect_refused("export a.h5", "arrives with the exporters");
  EXPECT_FALSE(fs::exists(at("a.h5")));
  EXPECT_FALSE(fs::exists(at("a.h5.part")));
}

TEST_F(Cli, ImpossibleWorldsAreRefused) {
  expect_refused("check star.toml --set message.0.dst=9", "9");
  expect_refused("check star.toml --set message.0.dst=0", "message");
  expect_refused("check star.toml --set simulation.tick='\"1 ms\"'", "tick");
  expect_refused("check star.toml --set buffer.rtsw.headroom='\"1 KB\"'", "headroom");
  write("empty.toml", "[topology]\nkind = \"star\"\n");
  expect_refused("check empty.toml", "nothing to simulate");
  expect_refused("run empty.toml", "nothing to simulate");
  EXPECT_FALSE(fs::exists(at("empty.h5.part")));
  expect_refused("run .", "is a folder");
  expect_refused("check star.toml --set buffer.rtsw.alpha=64",
                 "alpha times what it shares");  // what only the engine cannot hold
  expect_refused("run star.toml --set buffer.rtsw.alpha=64", "alpha times what it shares");
  expect_refused(
      "run star.toml --set topology.hosts=2048 --set 'buffer.rtsw.bytes=\"1 GB\"' --set 'simulation.slot=\"1 ps\"' "
      "--set 'simulation.epoch=\"1024 ps\"'",
      "pause changes");
  expect_refused("check star.toml --set class.best_effort.limit_alpha=0.000001", "would mean no limit");
  write("job.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus = 64\n[[job.collective]]\nsizes = [1024]\n");
  expect_refused("check job.toml", "64");
}

TEST_F(Cli, OutputIsCheckedFirst) {
  write("a.h5", "precious");
  expect_refused("run star.toml -o a.h5", "--force");
  expect_refused("run star.toml -o no/such/folder/a.h5", "choose another path with -o");
  for (const char* key : {"output.fct_file", "output.pfc_file"}) {
    expect_refused(std::string("run star.toml --set ") + key + "=a.h5 -o b.h5",
                   std::string("choose another path with ") + key + ", or replace it with --force");
  }
  std::ifstream file(at("a.h5"));
  std::string text;
  file >> text;
  EXPECT_EQ(text, "precious");
}

TEST_F(Cli, CheckSaysWhatItFound) {
  const Result result = heddle("check star.toml");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const char* part : {"tick ", "bound: ", "endpoints  4", "headroom", "packet-hops", "can be run"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
  }
}

TEST_F(Cli, CompareTakesTwoResultsOrMore) {
  const Result help = heddle("compare --help");
  EXPECT_NE(help.output.find("compare [OPTIONS] RUNS.h5...\n"), std::string::npos) << help.output;
  write("a.h5", "");
  expect_refused("compare a.h5", "at least two result files");
  expect_refused("compare nofolder", "'nofolder': no such file or folder; compare takes the folder of a sweep");
  expect_refused("compare .", "no folder of a sweep");
}

TEST_F(Cli, InfoSaysWhereTheRowsAre) {
  const auto missing = [&](const std::string& name) { return heddle("info " + name).output; };
  EXPECT_EQ(missing("m.h5"), "error: cannot read 'm.h5': no such file; check the name\n");
  EXPECT_EQ(missing("m.h5.part"),
            "error: cannot read 'm.h5.part': no such file; check the name (m.h5 is not there either)\n");
  write("m.h5.part", "");
  EXPECT_NE(missing("m.h5").find("was killed, look at m.h5.part"), std::string::npos);
  fs::rename(folder_ / "m.h5.part", folder_ / "m.h5");
  EXPECT_NE(missing("m.h5.part").find("its run has ended, look at m.h5"), std::string::npos);
}

TEST_F(Cli, InfoShowsACheckpoint) {
  write("zone.toml",
        "[topology]\nkind = \"ai_zone\"\nracks = 4\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
        "[[generator]]\nkind = \"permutation\"\nbytes = \"64 MiB\"\n");
  const Result saved = shell(binary_ +
                             " run -q zone.toml -o m.h5 --set 'checkpoint.every=\"20 us\"' & pid=$!; "
                             "until [ -e m.h5.checkpoint_0 ]; do sleep 0.01; done; kill -USR1 $pid; wait $pid");
  ASSERT_EQ(saved.exit_code, 75) << saved.output;
  const Result info = heddle("info m.h5.checkpoint_0");
  EXPECT_EQ(info.exit_code, 0) << info.output;
  for (const char* part :
       {"whole\n", " us of simulated time\n", "written     20", "hashes      configuration ",
        "m.h5.part: 1 rank(s), 1 thread(s), begun 20", "run -q zone.toml -o m.h5 --set checkpoint.every=",
        "to go on    the same command with --resume auto (", "--resume m.h5.checkpoint_0)\n"}) {
    EXPECT_NE(info.output.find(part), std::string::npos) << part << "\n" << info.output;
  }
  fs::rename(folder_ / "m.h5.part", folder_ / "gone");
  const Result without = heddle("info m.h5.checkpoint_0");
  EXPECT_NE(without.output.find("to go on    not possible"), std::string::npos) << without.output;
  fs::rename(folder_ / "m.h5.checkpoint_0", folder_ / "copied");
  EXPECT_NE(heddle("info copied").output.find("the command of its run with --resume copied"), std::string::npos);
  fs::resize_file(folder_ / "copied", fs::file_size(folder_ / "copied") - 1);
  expect_refused("info copied", "truncated");
}

TEST_F(Cli, ConfigPrintsWhatItReads) {
  const Result first = heddle("config star.toml");
  ASSERT_EQ(first.exit_code, 0) << first.output;
  write("again.toml", first.output);
  EXPECT_EQ(heddle("config again.toml").output, first.output);
  EXPECT_NE(heddle("config --reference").output.find("gpus_per_rack"), std::string::npos);
  expect_refused("config", "--reference");
}

TEST_F(Cli, CheckShowsADivisionOverRanks) {
  write("zone.toml",
        "[topology]\nkind = \"ai_zone\"\nracks = 4\ngpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 2\n"
        "[[generator]]\nkind = \"permutation\"\nbytes = \"64 KiB\"\n");
  const Result two = heddle("check zone.toml --ranks 2");
  EXPECT_EQ(two.exit_code, 0) << two.output;
  for (const char* part :
       {"2 by metis, of 6 racks", "balance", "packet-hops go over them", "exchange   every ", "0 - 1", "can be run"}) {
    EXPECT_NE(two.output.find(part), std::string::npos) << part << "\n" << two.output;
  }
  EXPECT_NE(heddle("check zone.toml --ranks 2 --partition blocks").output.find("by blocks"), std::string::npos);
  EXPECT_NE(heddle("check zone.toml --ranks 2 --set partition.policy=blocks").output.find("by blocks"),
            std::string::npos);
  EXPECT_NE(heddle("check zone.toml --ranks 1").output.find("none: no link is cut"), std::string::npos);
  expect_refused("check zone.toml --ranks 8", "8 ranks for 4 racks and 2 other switches");
  expect_refused("check zone.toml --ranks 0", "--ranks");
  expect_refused("check zone.toml --partition blocks", "--ranks");
  expect_refused("check zone.toml --ranks 2 --partition kway", "metis");
  expect_refused("check zone.toml --set partition.policy=kway", "metis|blocks");
}

TEST_F(Cli, RunsInfoCompare) {
  const Result run = heddle("run star.toml -o a.h5");
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("messages   1 of 1 complete"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("status complete"), std::string::npos) << run.output;
  EXPECT_EQ(heddle("run star.toml -o threads.h5 --threads 2").exit_code, 0) << "auto: on the CPU";
  EXPECT_TRUE(fs::exists(at("a.h5")));
  EXPECT_FALSE(fs::exists(at("a.h5.part")));
  ASSERT_EQ(heddle("run star.toml -o b.h5 --set message.0.bytes=1MiB").exit_code, 0);
  EXPECT_EQ(heddle("check --set message.0.bytes=5 --set topology.hosts=8 star.toml").exit_code, 0) << "any order";
  EXPECT_EQ(heddle("info a.h5").exit_code, 0);
  const Result compare = heddle("compare a.h5 b.h5");
  EXPECT_EQ(compare.exit_code, 0) << compare.output;
  EXPECT_NE(compare.output.find("message"), std::string::npos) << compare.output;
  expect_refused("info star.toml", "star.toml");
}

TEST_F(Cli, OutputNameComesFromTheConfiguration) {
  ASSERT_EQ(heddle("run star.toml").exit_code, 0);
  EXPECT_TRUE(fs::exists(at("star.h5")));
  expect_refused("run star.toml", "--force");
  EXPECT_EQ(heddle("run star.toml --force").exit_code, 0);
}

TEST_F(Cli, HorizonIsACompleteRun) {
  const Result result = heddle("run star.toml -o a.h5 --set simulation.horizon='\"1 us\"'");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("status horizon"), std::string::npos) << result.output;
}

TEST_F(Cli, MemoryIsALimit) {
  expect_refused("run star.toml -o a.h5 --memory plenty", "--memory plenty");
  expect_refused("run star.toml -o a.h5 --memory 10KB", "but the run may use 10 KB; give it more");
  EXPECT_FALSE(fs::exists(at("a.h5.part")));
  EXPECT_EQ(heddle("run star.toml -o a.h5 --memory 64MB").exit_code, 0);
  // two greedy senders without PFC fill the queue of the third host until nothing is left
  const Result result = heddle(
      "run star.toml -o b.h5 --memory 2MB --set class.lossless.pfc=false --set message.0.bytes=10GB "
      "--set message.1.src=2 --set message.1.dst=1 --set message.1.bytes=10GB");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_NE(result.output.find("--memory SIZE"), std::string::npos) << result.output;
}

TEST_F(Cli, OutputBudgetEndsARunWithoutHorizon) {
  const Result result = heddle(
      "run star.toml -o a.h5 --set output.max_bytes=1MB --set message.0.bytes=1TB --set output.link_series=true "
      "--set output.series_interval='\"100 ns\"'");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(result.output.find("status output_full"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("output.max_bytes = 1 MB"), std::string::npos) << result.output;
  EXPECT_LE(fs::file_size(at("a.h5")), 1'000'000u);
  EXPECT_NE(heddle("info a.h5").output.find("output_full"), std::string::npos) << "the file can be read";
}

TEST_F(Cli, OutputBudgetIsCheckedBefore) {
  const std::string sets = " --set output.max_bytes=1MB --set simulation.horizon='\"1 s\"'";
  expect_refused("run star.toml -o a.h5" + sets, "output.max_bytes");
  expect_refused("check star.toml" + sets, "output.max_bytes");
  EXPECT_FALSE(fs::exists(at("a.h5.part")));
}

TEST_F(Cli, IdleStretchesCostNothing) {
  const Result result = heddle(
      "run star.toml -o a.h5 --set message.1.src=0 --set message.1.dst=1 --set message.1.bytes=65536 "
      "--set message.1.post='\"1 s\"'");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_LE(fs::file_size(at("a.h5")), 150'000u) << "100,001 instants, of which a handful become rows";
}

TEST_F(Cli, LossesAreSaidLastAndAreNoFailure) {
  const Result result = heddle(
      "run star.toml -o a.h5 --set message.0.bytes=2MB --set message.1.src=2 --set message.1.dst=1 "
      "--set message.1.bytes=2MB --set message.2.src=3 --set message.2.dst=1 --set message.2.bytes=2MB "
      "--set buffer.rtsw.kind=static --set buffer.rtsw.xoff=20KB --set buffer.rtsw.headroom=8KB "
      "--set pfc.allow_unsafe_headroom=true");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const size_t error = result.output.find("error of the configuration");
  ASSERT_NE(error, std::string::npos) << result.output;
  EXPECT_GT(error, result.output.find("results    a.h5"));
  EXPECT_NE(heddle("info a.h5").output.find("error of the configuration"), std::string::npos);
}

TEST_F(Cli, ErrorsOfSetArgumentsNameThem) {
  expect_refused("check star.toml --set message.1.src=3", "--set message.1.src=3: [[message]] needs the key \"dst\"");
  expect_refused("check star.toml --set message.5.src=3", "--set message.5.src=3: \"message\" has 1 element");
  expect_refused("check star.toml --set generator.0.stride=3", "--set generator.0.stride=3: [[generator]] needs");
  expect_refused("check star.toml --set message.0=3", "--set message.0=3: \"message.0\" is a section");
  expect_refused("check star.toml --set message.0.dst=9", "(with --set message.0.dst=9)");
  expect_refused("check star.toml --set workload.flow_file=none.txt", "(with --set workload.flow_file=none.txt)");
  EXPECT_EQ(heddle("check star.toml --set ' topology.hosts = 5 '").exit_code, 0);
}

TEST_F(Cli, SigtermEndsARunInOrder) {
  const std::string run = binary_ + " run star.toml -o a.h5 --set message.0.bytes='\"1 TB\"'";
  const Result result = shell(run + " & sleep 1; kill -TERM $!; wait $!");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(result.output.find("status interrupted"), std::string::npos) << result.output;
  EXPECT_TRUE(fs::exists(at("a.h5"))) << "what was simulated is kept";
}

TEST_F(Cli, HpccExportsAreWritten) {
  const Result result = heddle("run star.toml -o a.h5 --set output.fct_file=fct.txt --set output.pfc_file=pfc.txt");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(fs::exists(at("fct.txt")));
  EXPECT_TRUE(fs::exists(at("pfc.txt")));
}

}  // namespace
