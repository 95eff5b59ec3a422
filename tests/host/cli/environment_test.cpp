// Effects of a user's machine on the command line: rights, names, links, pipes, full devices.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

/// Root is not refused what other users are refused, so in tests that run as root the program runs as another user.
class CliOfAUser : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (IsSkipped() || ::geteuid() != 0) return;
    fs::permissions(ScratchFolder::of_program().path(), fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add);
    fs::permissions(folder_, fs::perms::all);
    fs::copy_file(binary_, folder_ / "heddle");
    binary_ = as_user_ + at("heddle");
    if (shell(as_user_ + "test -x " + at("heddle")).exit_code != 0)
      GTEST_SKIP() << "nobody else than root may come to TMPDIR, or become another user (setpriv) here";
  }

  /// Makes a folder that only root, or its owner before it removed its own rights, can enter.
  void lock(const std::string& name) const {
    fs::create_directory(folder_ / name);
    fs::copy_file(folder_ / "star.toml", folder_ / name / "star.toml");
    fs::permissions(folder_ / name, ::geteuid() == 0 ? fs::perms::owner_all : fs::perms::none);
  }

  void TearDown() override {
    if (fs::exists(folder_ / "locked")) fs::permissions(folder_ / "locked", fs::perms::owner_all);
  }

  const std::string as_user_ = "setpriv --reuid 65534 --clear-groups ";
};

TEST_F(CliOfAUser, FoldersThatMayNotBeEntered) {
  lock("locked");
  for (const char* arguments :
       {"run locked/star.toml", "check locked/star.toml", "config locked/star.toml", "info locked/a.h5",
        "compare locked/a.h5 locked/b.h5", "compare locked", "compare locked/x", "run star.toml -o locked/a.h5",
        "run star.toml -o locked/a.h5 --force", "run star.toml -o locked/a.h5 --resume auto",
        "run star.toml -o a.h5 --resume locked/a.h5.checkpoint_0",
        "run star.toml -o a.h5 --set output.fct_file=locked/f", "run star.toml -o a.h5 --set output.pfc_file=locked/f",
        "run star.toml --set workload.flow_file=locked/f", "sweep star.toml --axis simulation.seed=1,2 -o locked/s",
        "sweep star.toml --axis simulation.seed=1,2 -o locked/s --force",
        "sweep star.toml --axis simulation.seed=1,2 -o locked --force",
        "sweep locked/star.toml --axis simulation.seed=1,2"}) {
    expect_refused(arguments, "Permission denied");
  }
  EXPECT_FALSE(fs::exists(folder_ / "a.h5"));
}

TEST_F(CliOfAUser, FilesOfOthersInASharedFolderAreSeenBefore) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes files of two users";
  fs::create_directory(folder_ / "shared");
  ASSERT_EQ(heddle("run star.toml -q -o shared/own.h5").exit_code, 2) << "not writable yet";
  ASSERT_EQ(::chmod(at("shared").c_str(), 01777), 0);
  ASSERT_EQ(heddle("run star.toml -q -o shared/own.h5").exit_code, 0);
  fs::copy_file(folder_ / "shared" / "own.h5", folder_ / "shared" / "roots.h5");
  expect_refused("run star.toml -q -o shared/roots.h5 --force", "only the owner may replace it");
  EXPECT_EQ(heddle("run star.toml -q -o shared/own.h5 --force").exit_code, 0);
}

TEST_F(CliOfAUser, NamesThatAreTooLong) {
  const std::string long_name(300, 'n'), nearly(240, 'n');
  for (const std::string& arguments : {"run " + long_name, "check " + long_name, "run star.toml -o " + long_name,
                                       "run star.toml -o a.h5 --set output.fct_file=" + long_name,
                                       "run star.toml --set workload.flow_file=" + long_name,
                                       "sweep star.toml --axis simulation.seed=1,2 -o " + long_name}) {
    expect_refused(arguments, "File name too long");
  }
  expect_refused("info " + long_name, "no such file");
  expect_refused("run star.toml -o " + nearly + ".h5", "its name has 243 bytes");
}

TEST_F(CliOfAUser, LinksThatLeadNowhere) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  fs::create_symlink("nowhere", folder_ / "dangling.h5");
  expect_refused("run a", "circle");
  expect_refused("info a", "circle");
  expect_refused("run star.toml --set workload.flow_file=a", "circle");
  for (const char* more : {"", " --force", " --resume auto"}) {
    expect_refused(std::string("run star.toml -o a") + more, "Too many levels of symbolic links");
    expect_refused(std::string("run star.toml -o dangling.h5") + more, "what it leads to is not there");
    expect_refused(std::string("run star.toml -o c.h5 --set output.fct_file=dangling.h5") + more,
                   "what it leads to is not there");
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling.h5"));
}

TEST_F(CliOfAUser, AFolderThatIsGone) {
  const auto in_the_gone = [&](const std::string& arguments) {
    return shell("mkdir gone && cd gone && rmdir ../gone && " + binary_ + " " + arguments);
  };
  for (const std::string& arguments :
       {"run " + at("star.toml"), std::string("run star.toml"), "run " + at("star.toml") + " -o a.h5",
        "sweep " + at("star.toml") + " --axis simulation.seed=1,2", std::string("info a.h5")}) {
    const CommandResult result = in_the_gone(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.output;
    EXPECT_EQ(result.output.find("internal"), std::string::npos) << arguments << "\n" << result.output;
  }
  EXPECT_EQ(in_the_gone("run -q " + at("star.toml") + " -o " + at("a.h5")).exit_code, 0) << "named from the root";
}

TEST_F(Cli, PipesAndDevicesAreRefusedNotWaitedFor) {
  binary_ = "timeout 20 " + binary_;
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo(at("saved.h5.checkpoint_0").c_str(), 0666), 0);
  for (const char* arguments : {"run pipe", "check pipe", "config pipe", "info pipe", "compare pipe pipe",
                                "run star.toml --set workload.flow_file=pipe",
                                "run star.toml -o saved.h5 --resume auto", "run star.toml -o a.h5 --resume pipe"}) {
    expect_refused(arguments, "it is a pipe");
  }
  expect_refused("run star.toml -o pipe", "no ordinary file");
  expect_refused("run star.toml -o saved.h5", "saved.h5.checkpoint_0");
  for (const char* arguments : {"run /dev/zero", "info /dev/zero", "run star.toml --set workload.flow_file=/dev/zero"})
    expect_refused(arguments, "it is a device");
  ASSERT_EQ(::mkfifo(at("part.h5.part").c_str(), 0666), 0);
  expect_refused("info part.h5.part", "it is a pipe");
  EXPECT_NE(heddle("run -q star.toml -o part.h5 --resume auto").exit_code, 124) << "hangs";
}

TEST_F(Cli, OutputThatDoesNotArriveIsNoSuccess) {
  ASSERT_EQ(heddle("run star.toml -q -o a.h5").exit_code, 0);
  for (const char* arguments :
       {"config star.toml", "config --reference", "check star.toml", "info a.h5", "--help", "--version"}) {
    for (const char* where : {" >/dev/full", " >&-"}) {
      const CommandResult result = heddle(std::string(arguments) + " 2>messages" + where);
      std::string messages;
      std::getline(std::ifstream(at("messages")), messages);
      EXPECT_EQ(result.exit_code, 1) << arguments << where << "\n" << messages;
      EXPECT_EQ(messages.find("error: cannot write to standard output"), 0u) << arguments << where << "\n" << messages;
      const bool closed = std::string_view(where) == " >&-";
      EXPECT_EQ(messages.find("it is closed") != std::string::npos, closed) << arguments << where << "\n" << messages;
    }
  }
  // the result file does not depend on stdout
  EXPECT_EQ(heddle("run star.toml -o full.h5 >/dev/full").exit_code, 0);
  EXPECT_EQ(heddle("run star.toml -o log.h5 2>/dev/full").exit_code, 0);
  EXPECT_EQ(heddle("run star.toml -o closed.h5 <&- >&- 2>&-").exit_code, 0);
  for (const char* name : {"full.h5", "log.h5", "closed.h5"})
    EXPECT_EQ(heddle("compare a.h5 " + std::string(name)).exit_code, 0);
}

TEST_F(Cli, ForceReplacesNothingButResults) {
  write("notes.txt", "precious");
  write("empty.h5", "");
  ASSERT_EQ(heddle("run star.toml -q -o a.h5 --set output.fct_file=fct.txt").exit_code, 0);
  fs::copy_file(folder_ / "a.h5", folder_ / "torn.h5");
  fs::resize_file(folder_ / "torn.h5", 1000);
  expect_refused("run star.toml -o notes.txt --force", "no result of 'heddle run'");
  expect_refused("run star.toml -o star.toml --force", "are the same file");
  expect_refused("run star.toml -o torn.h5 --force", "a damaged one");
  expect_refused("run star.toml -o b.h5 --force --set output.fct_file=notes.txt", "no export of 'heddle run'");
  expect_refused("run star.toml -o b.h5 --force --set output.pfc_file=fct.txt", "no export of 'heddle run'");
  write("flow.txt", "1\n0 1 3 100 1000 2\n");
  expect_refused("run star.toml -o flow.txt --force --set workload.flow_file=flow.txt",
                 "workload.flow_file and the result file are the same file");
  expect_refused("run star.toml -o -", "standard output");
  EXPECT_FALSE(fs::exists(folder_ / "-"));
  EXPECT_FALSE(fs::exists(folder_ / "b.h5"));
  EXPECT_EQ(heddle("run star.toml -q -o empty.h5 --force").exit_code, 0);
  EXPECT_EQ(heddle("run star.toml -q -o a.h5 --force --set output.fct_file=fct.txt").exit_code, 0);
  std::string text;
  std::getline(std::ifstream(at("notes.txt")), text);
  EXPECT_EQ(text, "precious");
}

TEST_F(Cli, ProtectedFilesAreSeenBefore) {
  fs::create_directory(folder_ / "log");
  ASSERT_EQ(heddle("run star.toml -q -o a.h5").exit_code, 0);
  const bool can = shell("chattr +i a.h5 && chattr +a log").exit_code == 0;
  if (can) {
    expect_refused("run star.toml -q -o a.h5 --force", "immutable");
    expect_refused("run star.toml -q -o log/a.h5", "append-only");
    EXPECT_TRUE(fs::is_empty(folder_ / "log"));
  }
  shell("chattr -i a.h5; chattr -a log");
  if (!can) GTEST_SKIP() << "chattr is not possible here";
}

}  // namespace
}  // namespace heddle::test
