// heddle import: which files it may overwrite, and its messages about missing files.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class CliImport : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    write("topology.txt", kTopology);
    write("flow.txt", kFlow);
    write("config.txt", kConfig);
  }
  std::string text(const std::string& name) const { return test::file_bytes(at(name)); }

  const std::string kTopology = "3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n", kFlow = "1\n1 2 3 100 4096 0\n",
                    kConfig =
                        "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nHAS_WIN 0\nCC_MODE 0\nKMIN_MAP 1 100000000000 "
                        "400\nKMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\n";
};

TEST_F(CliImport, ReplacesNoInput) {
  expect_refused("import hpcc config.txt -o config.txt --force", "config.txt: is the file to translate itself");
  expect_refused("import hpcc config.txt -o ./config.txt --force", "is the file to translate itself");
  fs::create_symlink("config.txt", folder_ / "link.toml");
  expect_refused("import hpcc config.txt -o link.toml --force", "is the file to translate itself");
  expect_refused("import hpcc config.txt -o topology.txt --force",
                 "topology.txt: is there already, and its first line");
  expect_refused("import hpcc config.txt -o star.toml --force", "so --force does not replace it");
  EXPECT_EQ(text("config.txt"), kConfig);
  EXPECT_EQ(text("topology.txt"), kTopology);
  EXPECT_NE(text("star.toml"), "");

  ASSERT_EQ(heddle("import hpcc config.txt -o made.toml").exit_code, 0);
  EXPECT_EQ(heddle("import hpcc config.txt -o made.toml --force").exit_code, 0);
  expect_refused("import hpcc made.toml --force", "made.toml: is the file to translate itself");
  EXPECT_NE(text("made.toml").find("translated by `heddle import hpcc`"), std::string::npos);
  write("empty.toml", "");
  EXPECT_EQ(heddle("import hpcc config.txt -o empty.toml --force").exit_code, 0);
}

TEST_F(CliImport, NextCommandCanBeCopied) {
  const CommandResult result = heddle("import hpcc config.txt -o 'from hpcc.toml'");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("\nnext: heddle check 'from hpcc.toml'\n"), std::string::npos) << result.output;
}

TEST_F(CliImport, KeepsAWindowConstantWhereThatIsAskedFor) {
  std::string config = kConfig + "VAR_WIN 1\nRP_TIMER 300\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\n";
  config.replace(config.find("HAS_WIN 0\nCC_MODE 0"), 19, "HAS_WIN 1\nCC_MODE 1");
  write("config.txt", config);
  expect_refused("import hpcc config.txt", "config.txt:8:1: VAR_WIN 1: a window that shrinks with the rate");
  const CommandResult result = heddle("import hpcc config.txt --window constant");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("note: VAR_WIN 1 lets the window shrink"), std::string::npos) << result.output;
  EXPECT_EQ(heddle("check config.toml").exit_code, 0);
}

TEST_F(CliImport, SaysWhichFilesHaveToCome) {
  fs::remove(folder_ / "flow.txt");
  write("config.txt", kConfig + "FCT_OUTPUT_FILE mix/fct.txt\n");
  const CommandResult result = heddle("import hpcc config.txt");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const char* part : {"warning: config.txt:2:1: FLOW_FILE flow.txt: there is no such file",
                           "warning: config.txt:8:1: FCT_OUTPUT_FILE mix/fct.txt: folder 'mix' does not exist"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
  }
  write("flow.txt", kFlow);
  const CommandResult check = heddle("check config.toml");
  EXPECT_EQ(check.exit_code, 0) << check.output;
  EXPECT_NE(check.output.find("heddle run would refuse it here: cannot write results to 'mix/fct.txt': folder 'mix'"),
            std::string::npos)
      << check.output;
  EXPECT_NE(check.output.find("can be run, but not as it is here"), std::string::npos) << check.output;
  fs::create_directories(folder_ / "mix");
  EXPECT_EQ(heddle("check config.toml").output.find("would refuse"), std::string::npos);
  EXPECT_EQ(heddle("run config.toml -q").exit_code, 0);
}

TEST_F(CliImport, AFullDiskIsTheMachinesFault) {
  const CommandResult full = shell("ulimit -f 1; " + binary_ + " import hpcc config.txt");
  EXPECT_EQ(full.exit_code, 1) << full.output;
  EXPECT_FALSE(fs::exists(folder_ / "config.toml"));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    EXPECT_NE(entry.path().filename().string().rfind("config.toml", 0), 0u) << entry.path();
}

}  // namespace
}  // namespace heddle::test
