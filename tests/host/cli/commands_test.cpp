// Texts and refusals of the command line before anything is run or written.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Cli, HelpDocumentsExitCodes) {
  const CommandResult result = heddle("--help");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.output.find("75  a checkpoint was written"), std::string::npos) << result.output;
  EXPECT_EQ(heddle("--version").exit_code, 0);
}

TEST_F(Cli, BadArgumentsAreRefused) {
  expect_refused("", "subcommand");
  expect_refused("frobnicate", "\"frobnicate\" is no subcommand; `heddle --help` lists them");
  expect_refused("chekc star.toml", "\"chekc\" is no subcommand, did you mean \"check\"?");
  expect_refused("", "error: no subcommand is given; `heddle --help` says what each does: run, check, ");
  expect_refused("check star.toml --frobnicate", "error: heddle check: \"--frobnicate\" is no option of it; `heddle ");
  expect_refused("run star.toml --thread 3", "error: heddle run: \"--thread\" is no option of it, did you mean ");
  expect_refused("config star.toml 3", "error: heddle config: \"3\" is more than it takes; `heddle config --help`");
  expect_refused("run star.toml --threads x", "error: heddle run: --threads: Value x not in range");
  expect_refused("run", "error: heddle run: CONFIG is required; `heddle run --help` says more\n");
  expect_refused("run missing.toml", "missing.toml: cannot open this configuration file");
  expect_refused("run star.toml --device tpu", "--device");
  expect_refused("run star.toml --device gpu --threads 2 -o a.h5", "--threads: the CPU's threads do not work with");
  expect_refused("run star.toml --set topology.host=3 -o a.h5", "did you mean \"hosts\"?");
  expect_refused("run star.toml --resume none.ck -o a.h5", "none.ck");
  expect_refused("run star.toml --resume '' -o a.h5", "give auto, or the file of a checkpoint");
  expect_refused("run star.toml --resume -o a.h5", "\"-o\" begins as an option does; --resume needs auto");
  expect_refused("run star.toml -q -o --force", "\"--force\" begins as an option does, so -o has no value");
  for (const char* command : {"run star.toml", "sweep star.toml --axis simulation.seed=1,2", "import hpcc star.toml"})
    expect_refused(command + std::string(" -o ''"), "nothing is given");
  for (const char* name : {"a.h5.part", "a.lock", "a.h5.checkpoint_1"})
    expect_refused("run star.toml -o " + std::string(name), "names that end in ");
  expect_refused("run star.toml -o a.h5 --set output.fct_file=a.h5.part", "give another name with output.fct_file");
  for (const char* command :
       {"run --set topology.hosts=4 simulation.seed=3 star.toml -o a.h5",
        "check --set topology.hosts=4 simulation.seed=3 star.toml", "config --set topology.hosts=4 simulation.seed=3"})
    expect_refused(command, "--set takes one each, so write --set simulation.seed=3");
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
                 "alpha times what it shares");  // a limit that only the engine has
  expect_refused("run star.toml --set buffer.rtsw.alpha=64", "alpha times what it shares");
  expect_refused(
      "run star.toml --memory 1TB --set topology.hosts=2048 --set 'buffer.rtsw.bytes=\"1 GB\"' --set "
      "'simulation.slot=\"1 ps\"' --set 'simulation.epoch=\"1024 ps\"'",
      "pause changes");
  expect_refused("check star.toml --set class.best_effort.limit_alpha=0.000001", "would mean no limit");
  write("job.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus = 64\n[[job.collective]]\nsizes = [1024]\n");
  expect_refused("check job.toml", "64");
}

TEST_F(Cli, ControlCharactersAreShownEscaped) {
  for (const char* arguments :
       {"check star.toml --set \"topology.k$(printf '\\033')=star\"", "check star.toml \"--$(printf '\\033')x\"",
        "check \"$(printf '\\033')x.toml\"", "check star.toml --set \"topology.kind=$(printf '\\033')\""}) {
    const CommandResult result = heddle(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.output.find('\033'), std::string::npos) << arguments;
    EXPECT_NE(result.output.find("\\x1b"), std::string::npos) << result.output;
  }
}

TEST_F(Cli, AFlowOutOfRangeIsNamedByItsLine) {
  write("flow.txt", "2\n0 1 3 100 4096 0\n4 1 3 100 4096 0\n");
  expect_refused("check star.toml --set workload.flow_file=flow.txt",
                 "error: flow.txt:3:1: 4 -> 1 names endpoint 4, but the fabric has 4 (0 to 3); without topology.kind");
}

TEST_F(Cli, CheckSaysWhichNodesOfAFileTheEndpointsAre) {
  write("topology.txt", "3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n");
  write("flow.txt", "1\n1 2 3 100 4096 0\n2 1 3 100 4096 0\n");
  write("hpcc.toml", "[topology]\nkind = \"hpcc\"\nfile = \"topology.txt\"\n[workload]\nflow_file = \"flow.txt\"\n");
  expect_refused("check hpcc.toml", "make it '4 1 3' for all of them, or set topology.first_hosts = 2");
  expect_refused("check hpcc.toml --set topology.first_hosts=3", "or set workload.first_flows = 1");
  const std::string first = "check hpcc.toml --set topology.first_hosts=3 --set workload.first_flows=1";
  const CommandResult result = heddle(first);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(
      result.output.find("numbers    endpoint 0 is node 1 of the topology file (host1); flow files give node ids"),
      std::string::npos)
      << result.output;
  expect_refused(first + " --set message.0.src=3 --set message.0.dst=0 --set message.0.bytes=1",
                 "message[0]: 3 -> 0 names endpoint 3, but the fabric has 3 (0 to 2); endpoint 0 is node 1 of the");
}

TEST_F(Cli, ImportTranslatesHpccsParameters) {
  write("topology.txt", "3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n");
  write("flow.txt", "1\n1 2 3 100 4096 0\n");
  const std::string config =
      "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nHAS_WIN 0\nCC_MODE 0\nKMIN_MAP 1 100000000000 400\n"
      "KMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\nENABLE_TRACE 1\n";
  write("config.txt", config);
  const CommandResult result = heddle("import hpcc config.txt");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("config.toml: 7 keys translated, 1 without a meaning here"), std::string::npos);
  EXPECT_EQ(heddle("check config.toml").exit_code, 0);
  EXPECT_EQ(heddle("run config.toml -q").exit_code, 0);
  expect_refused("import hpcc config.txt", "config.toml: is there already");
  EXPECT_EQ(heddle("import hpcc config.txt --force").exit_code, 0);
  expect_refused("import hpcc config.txt -o no/such/a.toml", "cannot write 'no/such/a.toml'");
  expect_refused("import simai config.txt", "FORMAT: simai not in {hpcc}");
  write("config.txt", config + "CC_MODUS 3\n");
  expect_refused("import hpcc config.txt -o b.toml",
                 "error: config.txt:9:1: unknown key CC_MODUS; did you mean CC_MODE?");
  EXPECT_FALSE(fs::exists(at("b.toml")));
}

TEST_F(Cli, AnImportedFabricNeedsItsFileFirst) {
  expect_refused("check star.toml --set topology.kind=hpcc", "error: --set topology.kind=hpcc: topology.file: kind = ");
}

TEST_F(Cli, WhatCannotBeMeantIsSaid) {
  const CommandResult over = heddle("check star.toml --set simulation.horizon='\"50 ns\"'");
  EXPECT_EQ(over.exit_code, 0) << over.output;
  EXPECT_NE(over.output.find("warning: simulation.horizon of 50 ns ends the run 5."), std::string::npos) << over.output;
  const std::string late = "check star.toml --set simulation.horizon='\"1 us\"' --set message.0.post=";
  EXPECT_NE(heddle(late + "'\"2 us\"'").output.find("before its first message or collective, at 2."),
            std::string::npos);
  EXPECT_EQ(heddle("check star.toml --set simulation.horizon='\"10 us\"'").output.find("warning"), std::string::npos);
  EXPECT_NE(
      heddle("run star.toml -q -o a.h5 --threads 999").output.find("warning: --threads 999: this process may use"),
      std::string::npos);
  EXPECT_EQ(heddle("run star.toml -q -o b.h5 --threads 1").output.find("warning"), std::string::npos);
}

TEST_F(Cli, CheckSaysWhatItFound) {
  const CommandResult result = heddle("check star.toml");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const char* part : {"tick ", "bound: ", "endpoints  4", "headroom", "packet-hops", "can be run"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
  }
}

TEST_F(Cli, CompareTakesTwoResultsOrMore) {
  const CommandResult help = heddle("compare --help");
  EXPECT_NE(help.output.find("compare [OPTIONS] RUNS.h5...\n"), std::string::npos) << help.output;
  write("a.h5", "");
  expect_refused("compare a.h5", "at least two result files");
  expect_refused("compare nofolder", "'nofolder': no such file or folder; compare takes the folder of a sweep");
  expect_refused("compare .", "no folder of a sweep");
}

TEST_F(Cli, AResultIsNoConfiguration) {
  ASSERT_EQ(heddle("run star.toml -q -o a.h5").exit_code, 0);
  for (const char* command : {"run a.h5 -o b.h5", "check a.h5", "sweep a.h5 --axis simulation.seed=1,2"})
    expect_refused(command, "a.h5: is an HDF5 file, such as a result, and no configuration");
  expect_refused("run star.toml -q -o a.h5 --resume auto --set simulation.seed=17",
                 "the configuration has changed since: simulation.seed was 1 and is 17 now");
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
  const CommandResult saved = shell(binary_ +
                                    " run -q zone.toml -o m.h5 --set 'checkpoint.every=\"20 us\"' & pid=$!; "
                                    "until [ -e m.h5.checkpoint_0 ]; do sleep 0.01; done; kill -USR1 $pid; wait $pid");
  ASSERT_EQ(saved.exit_code, 75) << saved.output;
  const CommandResult info = heddle("info m.h5.checkpoint_0");
  EXPECT_EQ(info.exit_code, 0) << info.output;
  for (const char* part :
       {"whole\n", " us of simulated time\n", "written     20", "hashes      configuration ",
        "m.h5.part: 1 rank(s), 1 thread(s), begun 20", "run -q zone.toml -o m.h5 --set 'checkpoint.every=",
        "to resume   the same command with --resume auto (", "--resume m.h5.checkpoint_0)\n"}) {
    EXPECT_NE(info.output.find(part), std::string::npos) << part << "\n" << info.output;
  }
  const CommandResult json = heddle("info --json m.h5.checkpoint_0");
  for (const char* part :
       {"\"kind\":\"checkpoint\"", "\"time_ps\":", "\"rows\":{\"file\":\"m.h5.part\",\"problem\":null"})
    EXPECT_NE(json.output.find(part), std::string::npos) << part << "\n" << json.output;
  fs::rename(folder_ / "m.h5.part", folder_ / "gone");
  const CommandResult without = heddle("info m.h5.checkpoint_0");
  EXPECT_NE(without.output.find("to resume   not possible"), std::string::npos) << without.output;
  fs::rename(folder_ / "m.h5.checkpoint_0", folder_ / "copied");
  EXPECT_NE(heddle("info copied").output.find("the command of its run with --resume copied"), std::string::npos);
  fs::resize_file(folder_ / "copied", fs::file_size(folder_ / "copied") - 1);
  expect_refused("info copied", "truncated");
}

TEST_F(Cli, ConfigPrintsWhatItReads) {
  const CommandResult first = heddle("config star.toml");
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
  const CommandResult two = heddle("check zone.toml --ranks 2");
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

TEST_F(Cli, ErrorsOfSetArgumentsNameThem) {
  expect_refused("check star.toml --set message.1.src=3", "--set message.1.src=3: [[message]] needs the key \"dst\"");
  expect_refused("check star.toml --set message.5.src=3", "--set message.5.src=3: \"message\" has 1 element");
  expect_refused("check star.toml --set generator.0.stride=3", "--set generator.0.stride=3: [[generator]] needs");
  expect_refused("check star.toml --set message.0=3", "--set message.0=3: \"message.0\" is a section");
  expect_refused("check star.toml --set message.0.dst=9", "(with --set message.0.dst=9)");
  expect_refused("check star.toml --set workload.flow_file=none.txt", "(with --set workload.flow_file=none.txt)");
  expect_refused("check star.toml --set dcqcn=true", "e.g. --set dcqcn.KEY=value");
  expect_refused("check star.toml --set topology.hosts=8 --set topology.hosts=16",
                 "--set topology.hosts=16: it replaces what --set topology.hosts=8 has set; leave one of them out");
  expect_refused("check star.toml --set message.0.dst=2 --set message.00.dst=3", "leave one of them out");
  write("list.toml", "[topology]\nkind = \"star\"\n[[job]]\ngpus = 4\n[[collective]]\nkind = \"all_reduce\"\n");
  expect_refused("check list.toml", "write [[job.collective]] below [[job]]");
  EXPECT_EQ(heddle("check star.toml --set ' topology.hosts = 5 '").exit_code, 0);
}

}  // namespace
}  // namespace heddle::test
