// The table of formats: what it says fits the README, the examples, and what reads them.
#include "io/formats/formats.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch.hpp"

namespace heddle::test {
namespace {

TEST(Formats, AreThoseOfTheReadme) {
  std::ifstream file("io/formats/README.md");
  std::string line, named;
  size_t count = 0;
  while (std::getline(file, line)) {
    if (!line.starts_with("| `")) continue;
    named += line.substr(0, line.find(" |", 2));
  }
  for (const Format& format : formats())
    EXPECT_NE(named.find("`" + format.named() + "`"), named.npos) << format.named();
  for (const char c : named) count += c == '`' ? 1 : 0;
  EXPECT_EQ(count, 2 * formats().size()) << "a row that the table does not have";
}

TEST(Formats, HaveOneReaderEach) {
  for (const Format& format : formats()) {
    SCOPED_TRACE(format.named());
    EXPECT_EQ(find_format(format.key, format.word), &format) << "twice in the table";
    EXPECT_EQ(format.read_topology != nullptr, format.key == "topology.kind");
    EXPECT_EQ(format.read_flows != nullptr, format.key == "workload.flow_format");
    EXPECT_EQ(format.read_trace != nullptr, format.key == "job.trace.format");
    EXPECT_EQ(!format.collectives.empty(), format.key == "job.trace.format");
  }
  EXPECT_EQ(find_format("topology.kind", "star"), nullptr);
}

TEST(Formats, AreWordsAndHelpsOfTheirKey) {
  EXPECT_EQ(format_words("topology.kind"), "hpcc|simai|htsim");
  EXPECT_EQ(format_helps("workload.flow_format"),
            "hpcc: a flow.txt of HPCC's ns-3; htsim: a connection matrix of htsim (.cm)");
}

TEST(Formats, AreRecognised) {
  const auto example = [](const std::string& name) {
    const std::string said = foreign_text(file_bytes("configs/imports/" + name), "a/" + name);
    const size_t at = said.find("(configs/imports/");
    if (at != said.npos) {
      EXPECT_TRUE(std::filesystem::exists(said.substr(at + 1, said.find(' ', at) - at - 1))) << said;
    }
    return said.substr(0, said.find(" (configs"));
  };
  EXPECT_EQ(example("tree.goal"),
            "a GOAL schedule of LogGOPSim, which a configuration names: write one with format = \"goal\" and file = "
            "\"tree.goal\" in [job.trace]");
  EXPECT_EQ(example("chakra/step.3.et").substr(0, 45), "an execution trace of MLCommons Chakra (.et),");
  EXPECT_NE(example("chakra/step.3.et").find("file = \"step\" in"), std::string::npos);
  EXPECT_NE(example("fan.cm").find("flow_format = \"htsim\" and flow_file = \"fan.cm\" in [workload]"),
            std::string::npos);
  EXPECT_NE(example("leaves.topo").find("kind = \"htsim\" and file = \"leaves.topo\" in [topology]"), std::string::npos)
      << "begins as a matrix does";
  EXPECT_NE(example("layers.txt").find("format = \"simai\""), std::string::npos);
  EXPECT_EQ(example("htsim.toml"), "");
  EXPECT_EQ(foreign_text("# a comment\nENABLE_QCN 1\n", "a b.txt"),
            "a config.txt or SimAI.conf of HPCC's ns-3; `heddle import hpcc 'a b.txt'` translates it");
}

}  // namespace
}  // namespace heddle::test
