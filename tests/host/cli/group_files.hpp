// A folder with the files of control groups, as /sys/fs/cgroup has them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scratch.hpp"

namespace heddle::test {

class GroupFiles : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  const ScratchFolder scratch_;
  const std::filesystem::path& root_ = scratch_.path();
};

}  // namespace heddle::test
