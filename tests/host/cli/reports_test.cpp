// heddle info, check and compare for several files and for programs; texts at the begin of a run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
}

TEST_F(Cli, InfoAndCheckTakeSeveralFiles) {
  for (const char* name : {"a", "b"})
    ASSERT_EQ(heddle(std::string("run -q star.toml -o ") + name + ".h5").exit_code, 0);
  const CommandResult info = heddle("info a.h5 missing.h5 b.h5");
  EXPECT_EQ(info.exit_code, 2);
  for (const char* part : {"a.h5\n  status", "b.h5\n  status", "cannot read 'missing.h5'"})
    expect_has(info.output, part);
  const CommandResult json = heddle("info --json a.h5 b.h5");
  EXPECT_EQ(json.exit_code, 0) << json.output;
  const std::vector<std::string> lines = lines_of(json.output);
  ASSERT_EQ(lines.size(), 2u) << "one per file";
  EXPECT_EQ(Json::parse(lines[1])["file"], "b.h5");
  EXPECT_EQ(Json::parse(lines[0])["digest"], Json::parse(lines[1])["digest"]);

  write("bad.toml", "[topology]\nkind = \"nothing\"\n");
  const CommandResult check = heddle("check star.toml bad.toml star.toml --set simulation.seed=2");
  EXPECT_EQ(check.exit_code, 2) << check.output;
  for (const char* part : {"== star.toml\ntick", "star.toml can be run\n\n== bad.toml", "error: bad.toml:2:"})
    expect_has(check.output, part);
  EXPECT_EQ(heddle("check star.toml star.toml").exit_code, 0);
}

TEST_F(Cli, CompareForPrograms) {
  ASSERT_EQ(heddle("run -q star.toml -o a.h5").exit_code, 0);
  ASSERT_EQ(heddle("run -q star.toml -o b.h5 --set link.host_rate=200Gb/s").exit_code, 0);
  const CommandResult csv = heddle("compare --csv a.h5 b.h5");
  EXPECT_EQ(csv.exit_code, 0) << csv.output;
  expect_has(csv.output, "file,link.host_rate,link.host_rate (bit/s),");
  expect_has(csv.output, "\nb.h5,200 Gb/s,200000000000,");
  const Json json = Json::parse(heddle("compare --json a.h5 b.h5").output);
  EXPECT_EQ(json["configuration"]["link.host_rate"]["number"][1], 200'000'000'000);
  expect_refused("compare --csv --json a.h5 b.h5", "excludes");
}

TEST_F(Cli, CompareOfASweepForPrograms) {
  ASSERT_EQ(heddle("sweep star.toml --axis simulation.seed=1..3 -o many").exit_code, 0);
  for (const char* name : {"0", "2"}) ASSERT_EQ(heddle(std::string("run -q many/") + name + ".toml").exit_code, 0);
  const CommandResult csv = shell(binary_ + " compare --csv many 2> missing.txt");
  EXPECT_EQ(csv.exit_code, 3) << "as the text";
  const std::vector<std::string> lines = lines_of(csv.output);
  ASSERT_EQ(lines.size(), 4u) << csv.output;
  EXPECT_EQ(lines[0].find("run,simulation.seed,status,end_ps,"), 0u) << lines[0];
  EXPECT_EQ(lines[1].find("0,1,complete,"), 0u) << lines[1];
  EXPECT_EQ(lines[2].find("1,2,MISSING,,"), 0u) << lines[2];
  const Json json = Json::parse(shell(binary_ + " compare --json many 2> missing.txt").output);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["runs"][1]["result"], nullptr);
  EXPECT_EQ(json["runs"][2]["axes"]["simulation.seed"], "3");
  EXPECT_EQ(json["runs"][2]["result"]["clock"]["seed"], 3);
}

TEST_F(Cli, ARunSaysWhatRunsOnWhat) {
  write("ring.toml",
        "[topology]\nkind = \"star\"\nhosts = 16\n[[job]]\ngpus = 16\n[[job.collective]]\n"
        "sizes = [\"1 MiB\", \"2 MiB\"]\n");
  const CommandResult run = heddle("run ring.toml -o a.h5 --threads 2 --memory 1GiB");
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const std::string first = lines_of(run.output).front();
  EXPECT_EQ(first.find("16 GPUs, 1 switch, 1 job of 2 all-reduces; 2 threads of "), 0u) << first;
  expect_has(first, "of state (limit 9");
  expect_has(first, " M packet-hops");
  EXPECT_EQ(heddle("run -q ring.toml -o b.h5").output.find("GPUs, "), std::string::npos) << "quiet";
  const CommandResult bounded = heddle("run ring.toml -o c.h5 --set simulation.horizon=\\\"5us\\\"");
  expect_has(bounded.output, "; until 5 us at the latest\n");
}

}  // namespace
}  // namespace heddle::test
