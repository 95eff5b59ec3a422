// One run at a time writes a result file; what a killed one leaves stops nobody.
#include "io/results/result_lock.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "io/error.hpp"
#include "tests/io/child.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

TEST(ResultLock, IsHeldByOneAndRemovedByIt) {
  const std::string path = fresh_folder() + "/run.h5";
  {
    const ResultLock lock(path);
    EXPECT_EQ(lock.warning(), "");
    const std::string text = message_of<OutputError>([&] { ResultLock second(path); });
    expect_contains(text, "another run is writing it (process " + std::to_string(::getpid()) + " on ");
    EXPECT_TRUE(fs::exists(lock_path_of(path))) << "the second one leaves it";
  }
  EXPECT_FALSE(fs::exists(lock_path_of(path)));
  const ResultLock again(path);
}

TEST(ResultLock, SaysHowFarItsRunIs) {
  const std::string path = fresh_folder() + "/run.h5";
  ResultLock lock(path);
  const auto lines = [&] {
    std::ifstream file(lock_path_of(path));
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  };
  ASSERT_EQ(lines().size(), 1u);
  const std::string holder = lines()[0];
  lock.say("42 % of about 44 M packet-hops");
  EXPECT_EQ(lines(), (std::vector<std::string>{holder, "42 % of about 44 M packet-hops"}));
  lock.say("99 %");
  EXPECT_EQ(lines(), (std::vector<std::string>{holder, "99 %"})) << "nothing is left of the line before";
  expect_contains(message_of<OutputError>([&] { ResultLock second(path); }), "(" + holder + ")");
}

TEST(ResultLock, OfAKilledRunIsTakenOver) {
  const std::string path = fresh_folder() + "/run.h5";
  const int status = in_child([&] {
    const ResultLock lock(path);
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(status, 128 + SIGKILL);
  EXPECT_TRUE(fs::exists(lock_path_of(path)));
  { const ResultLock lock(path); }
  EXPECT_FALSE(fs::exists(lock_path_of(path)));
}

TEST(ResultLock, RemovedByHandIsNoLockAnyMore) {
  const std::string path = fresh_folder() + "/run.h5";
  {
    const ResultLock of_a_crashed_machine(path);
    fs::remove(lock_path_of(path));
    const ResultLock ours(path);
    EXPECT_TRUE(fs::exists(lock_path_of(path)));
  }
  EXPECT_FALSE(fs::exists(lock_path_of(path)));
}

TEST(ResultLock, ThatCannotBeMadeIsRefused) {
  const std::string path = fresh_folder() + "/run.h5";
  fs::create_directory(lock_path_of(path));
  expect_contains(message_of<OutputError>([&] { ResultLock lock(path); }), "remove it if it is there");
}

TEST(ResultLock, NeverTouchesWhatIsNotALock) {
  const std::string path = fresh_folder() + "/run.h5", precious = path + ".notes";
  const auto refusal = [&] { return message_of<OutputError>([&] { ResultLock lock(path); }); };
  std::ofstream(precious) << "mine\n";
  fs::create_symlink(precious, lock_path_of(path));
  expect_contains(refusal(), "it is a symbolic link");
  fs::remove(lock_path_of(path));
  fs::rename(precious, lock_path_of(path));
  expect_contains(refusal(), "something else than the lock of a run");
  EXPECT_EQ(fs::file_size(lock_path_of(path)), 5u);
  fs::remove(lock_path_of(path));
  ASSERT_EQ(::mkfifo(lock_path_of(path).c_str(), 0600), 0);
  expect_contains(refusal(), "no ordinary file");
}

}  // namespace
}  // namespace heddle::test
