// Tests of the command line from outside: the program runs in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scratch.hpp"

namespace heddle::test {

struct CommandResult {
  int exit_code = -1;
  std::string output;  // stdout and stderr together
};

/// Runs the program that HEDDLE_BINARY names, in a folder with star.toml, a configuration of 4 hosts and one message.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const char* binary = std::getenv("HEDDLE_BINARY");
    if (binary == nullptr || !std::filesystem::exists(binary)) GTEST_SKIP() << "HEDDLE_BINARY names no program";
    binary_ = binary;
    write("star.toml", "[topology]\nkind = \"star\"\nhosts = 4\n[[message]]\nsrc = 0\ndst = 1\nbytes = \"64 KiB\"\n");
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  CommandResult heddle(const std::string& arguments) const { return shell(binary_ + " " + arguments); }

  CommandResult shell(const std::string& line) const {
    const std::string command = "cd " + folder_.string() + " && { " + line + "; } 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    CommandResult result;
    std::array<char, 4096> buffer;
    while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }

  void expect_refused(const std::string& arguments, const std::string& message) const {
    const CommandResult result = heddle(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.output;
    EXPECT_NE(result.output.find(message), std::string::npos) << arguments << "\n" << result.output;
  }

  std::string binary_;
  const ScratchFolder scratch_;
  const std::filesystem::path& folder_ = scratch_.path();
};

}  // namespace heddle::test
