// heddle run: its output, its limits, the ways in which it ends.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

/// For all-gathers, reduce-scatters and all-to-alls nccl-tests counts the elements of one peer: its paramcount.
TEST_F(Cli, CollectivesCountElementsAsNcclTestsDoes) {
  std::string toml = "[topology]\nkind = \"star\"\nhosts = 8\n[[job]]\ngpus = 8\ngpus_per_server = 1\n";
  for (const char* kind : {"all_reduce", "all_gather", "all_to_all"})
    toml += std::string("[[job.collective]]\nkind = \"") + kind + "\"\nsizes = [\"64 KiB\"]\n";
  write("job.toml", toml);
  const CommandResult result = heddle("run job.toml");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  std::vector<std::string> counts;
  std::istringstream lines(result.output);
  for (std::string line, size, count, type; std::getline(lines, line);)
    if (std::istringstream(line) >> size >> count >> type && type == "float") counts.push_back(size + " " + count);
  EXPECT_EQ(counts, (std::vector<std::string>{"65536 16384", "65536 2048", "65536 2048"})) << result.output;
}

/// One bit of a link's speed says which packets take whole nanoseconds; it must not change a load.
TEST_F(Cli, PoissonCarriesItsLoadAlsoInWholeNanoseconds) {
  write("poisson.toml",
        "[topology]\nkind = \"star\"\nhosts = 16\n[[generator]]\nkind = \"poisson\"\nload = 0.3\nbytes = \"100 KB\"\n"
        "duration = \"200 us\"\n");
  const auto messages = [&](const std::string& set) {
    const std::string output = heddle("run poisson.toml --force " + set).output;
    const size_t at = output.find("messages   ");
    return at == std::string::npos ? 0 : std::stoi(output.substr(at + 11));
  };
  const int plain = messages("");
  EXPECT_NEAR(plain, 16 * 0.3 * 50e9 * 200e-6 / 100e3, 100);
  EXPECT_EQ(messages("--set link.whole_nanoseconds=true"), plain);
}

/// 249 all-to-alls of 264 GPUs with 16,768 queue pairs a GPU.
TEST_F(Cli, MoreQueuePairsThanNumbersAreRefused) {
  std::string toml =
      "[topology]\nkind = \"ai_zone\"\nracks = 2739\ngpus_per_rack = 24\nctsws = 4\nuplinks_per_rtsw = 4\n"
      "[simulation]\nhorizon = \"1 us\"\n";
  for (int j = 0; j < 249; ++j)
    toml +=
        "[[job]]\ngpus = 264\nqps_per_connection = 128\np2p_channels = 2\np2p_window = 2\n"
        "[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"264 KiB\"]\n";
  write("many.toml", toml);
  const CommandResult result = heddle("run many.toml");
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_NE(result.output.find("more than 4,294,967,295 queue pairs"), std::string::npos) << result.output;
}

TEST_F(Cli, RunsInfoCompare) {
  const CommandResult run = heddle("run star.toml -o a.h5");
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("messages   1 of 1 complete"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("status complete"), std::string::npos) << run.output;
  EXPECT_EQ(heddle("run star.toml -o threads.h5 --threads 2").exit_code, 0) << "auto: on the CPU";
  EXPECT_TRUE(fs::exists(at("a.h5")));
  EXPECT_FALSE(fs::exists(at("a.h5.part")));
  ASSERT_EQ(heddle("run star.toml -o b.h5 --set message.0.bytes=1MiB").exit_code, 0);
  EXPECT_EQ(heddle("check --set message.0.bytes=5 --set topology.hosts=8 star.toml").exit_code, 0) << "any order";
  EXPECT_EQ(heddle("info a.h5").exit_code, 0);
  const CommandResult compare = heddle("compare a.h5 b.h5");
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

/// A training job of two GPUs.
constexpr const char* kStep =
    "[topology]\nkind = 'star'\nhosts = 2\n[[job]]\ngpus_per_server = 1\n[job.training]\nmodel = 'custom'\n"
    "layers = 2\nhidden = 64\nffn_hidden = 128\nattention_heads = 4\nkv_heads = 4\nvocabulary = 64\n"
    "sequence_length = 64\ntensor_parallel = 2\nforward = '1 ms'\n";

TEST_F(Cli, SaysWhatWasGivenAndNotSimulated) {
  write("step.toml", kStep);
  const std::string note = "took given times (job.training.gather, reduce) and were not simulated";
  EXPECT_EQ(heddle("run step.toml -o whole.h5").output.find(note), std::string::npos);
  const CommandResult given =
      heddle("run step.toml -o given.h5 --set job.0.training.gather=2ms --set job.0.training.reduce=3ms");
  EXPECT_EQ(given.exit_code, 0) << given.output;
  EXPECT_NE(given.output.find(note), std::string::npos) << given.output;
  EXPECT_EQ(heddle("info whole.h5").output.find("not simulated"), std::string::npos);
  const std::string info = heddle("info given.h5").output;
  for (const char* line :
       {".training.gather = '2 ms': given, not simulated", ".training.reduce = '3 ms': given, not simulated"})
    EXPECT_NE(info.find(line), std::string::npos) << info;
  const std::string check = heddle(
                                "check step.toml --set job.0.training.gather=2ms --set job.0.training.reduce=3ms --set "
                                "job.0.training.jitter=0.1")
                                .output;
  EXPECT_NE(check.find("replicas do not wait for each other"), std::string::npos) << check;
}

TEST_F(Cli, HpccExportsAreWritten) {
  const CommandResult result =
      heddle("run star.toml -o a.h5 --set output.fct_file=fct.txt --set output.pfc_file=pfc.txt");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(fs::exists(at("fct.txt")));
  EXPECT_TRUE(fs::exists(at("pfc.txt")));
}

TEST_F(Cli, HorizonIsACompleteRun) {
  const CommandResult result = heddle("run star.toml -o a.h5 --set simulation.horizon='\"1 us\"'");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("status horizon"), std::string::npos) << result.output;
}

/// Work that a horizon leaves undone is part of the explanation, so `info` has it, too; a run without a horizon leaves
/// none.
TEST_F(Cli, TheEndSaysWhatIsUnfinished) {
  const std::string both =
      "[topology]\nkind = \"star\"\nhosts = 4\n[[message]]\nsrc = 0\ndst = 1\nbytes = 1000\n"
      "[[message]]\nsrc = 2\ndst = 3\nbytes = \"1 MiB\"\n[[job]]\ngpus = 4\ngpus_per_server = 1\n"
      "[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 MiB\", \"2 MiB\"]\n";
  write("both.toml", both);
  const CommandResult cut = heddle("run both.toml -o cut.h5 --set simulation.horizon='\"20 us\"'");
  EXPECT_EQ(cut.exit_code, 0) << cut.output;
  for (const std::string& said : {cut.output, heddle("info cut.h5").output})
    EXPECT_NE(said.find(". Unfinished: 1 of 2 messages, 2 of 2 collectives\n"), std::string::npos) << said;
  const CommandResult whole = heddle("run both.toml -o whole.h5");
  EXPECT_EQ(whole.exit_code, 0) << whole.output;
  EXPECT_EQ((whole.output + heddle("info whole.h5").output).find("Unfinished"), std::string::npos) << whole.output;
  write("step.toml", kStep);
  const CommandResult step = heddle("run step.toml -o step.h5 --set simulation.horizon='\"1 us\"'");
  EXPECT_NE(step.output.find(", 1 of 1 iterations of jobs\n"), std::string::npos) << step.output;
}

TEST_F(Cli, MemoryIsALimit) {
  expect_refused("run star.toml -o a.h5 --memory plenty", "--memory plenty");
  expect_refused("run star.toml -o a.h5 --memory 10KB", "but the run may use 10 KB (--memory 10KB): ");
  EXPECT_FALSE(fs::exists(at("a.h5.part")));
  EXPECT_EQ(heddle("run star.toml -o a.h5 --memory 64MB").exit_code, 0);
  // two greedy senders without PFC fill the queue of the third host until the memory is exhausted
  const CommandResult result = heddle(
      "run star.toml -o b.h5 --memory 60MB --set class.lossless.pfc=false --set message.0.bytes=10GB "
      "--set message.1.src=2 --set message.1.dst=1 --set message.1.bytes=10GB");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_NE(result.output.find("--memory SIZE"), std::string::npos) << result.output;
}

TEST_F(Cli, OutputBudgetEndsARunWithoutHorizon) {
  const CommandResult result = heddle(
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
  const CommandResult result = heddle(
      "run star.toml -o a.h5 --set message.1.src=0 --set message.1.dst=1 --set message.1.bytes=65536 "
      "--set message.1.post='\"1 s\"'");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_LE(fs::file_size(at("a.h5")), 230'000u) << "100,001 instants, of which a handful become rows";
}

TEST_F(Cli, LossesAreSaidLastAndAreNoFailure) {
  const CommandResult result = heddle(
      "run star.toml -o a.h5 --set message.0.bytes=2MB --set message.1.src=2 --set message.1.dst=1 --set "
      "message.1.bytes=2MB --set message.2.src=3 --set message.2.dst=1 --set message.2.bytes=2MB --set "
      "buffer.rtsw.kind=static --set buffer.rtsw.xoff=20KB --set buffer.rtsw.headroom=8KB --set "
      "pfc.allow_unsafe_headroom=true");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const size_t error = result.output.find("error of the configuration");
  ASSERT_NE(error, std::string::npos) << result.output;
  EXPECT_GT(error, result.output.find("results    a.h5"));
  EXPECT_NE(heddle("info a.h5").output.find("error of the configuration"), std::string::npos);
}

TEST_F(Cli, AFullDiskBeforeTheRunIsTheMachinesFault) {
  const CommandResult result = shell("ulimit -f 1; " + binary_ + " run star.toml -q -o a.h5");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_NE(result.output.find("error: "), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("internal"), std::string::npos) << result.output;
  EXPECT_FALSE(fs::exists(at("a.h5")));
}

TEST_F(Cli, SigtermEndsARunInOrder) {
  const std::string run = binary_ + " run star.toml -o a.h5 --set message.0.bytes='\"1 TB\"'";
  const CommandResult result = shell(run + " & sleep 1; kill -TERM $!; wait $!");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(result.output.find("status interrupted"), std::string::npos) << result.output;
  EXPECT_TRUE(fs::exists(at("a.h5"))) << "what was simulated is kept";
}

}  // namespace
}  // namespace heddle::test
