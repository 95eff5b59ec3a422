// While a run is set up it reports what it builds, and ends at once on a signal.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "host/base/stage.hpp"
#include "host/cli/setup_watch.hpp"
#include "io/unfinished.hpp"
#include "tests/host/cli/cli.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Cli, SetUpEndsAtOnceAndLeavesNothing) {
  const std::string run = binary_ + " run " + fs::absolute("configs/meta_24k.toml").string() + " -o a.h5";
  for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    // the lock exists before anything is built, and is removed with the run
    const CommandResult result = shell(run + " & until [ -e a.h5.lock ]; do sleep 0.01; done; kill -" + signal +
                                       " $!; wait $!; code=$?; ls; exit $code");
    EXPECT_EQ(result.exit_code, code) << result.output;
    EXPECT_NE(result.output.find("nothing was simulated, and nothing is left"), std::string::npos) << result.output;
    EXPECT_EQ(result.output.find("a.h5"), std::string::npos) << result.output;
  }
}

TEST(SetupWatch, SaysAStageThatLasts) {
  const auto said = [](bool quiet, int milliseconds) {
    testing::internal::CaptureStderr();
    {
      const SetupWatch watch(quiet);
      begin_stage("something large");
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(false, 1500), "setting up: something large\n");
  EXPECT_EQ(said(false, 200), "");
  EXPECT_EQ(said(true, 1500), "");
}

TEST(Unfinished, EndWaitsForFilesThatAreBeingMade) {
  const auto end = [](int number) { ::_exit(number); };
  EXPECT_EXIT(when_whole(end, 3), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(
      {
        {
          const NotWhole outer;
          {
            const NotWhole inner;
            when_whole(end, 4);
          }
          std::cerr << "made";
        }
        ::_exit(5);
      },
      testing::ExitedWithCode(4), "made");
}

TEST(Unfinished, GoWithAProgramThatIsEnded) {
  const ScratchFolder folder;
  const auto make = [&](const char* name) {
    const std::string path = (folder.path() / name).string();
    std::ofstream(path) << name;
    return path;
  };
  const std::string done = make("done"), begun = make("begun"), replaced = make("replaced");
  { const Unfinished finished(done); }
  const Unfinished first(begun), second(replaced), third((folder.path() / "none").string());
  fs::rename(make("another's"), replaced);
  remove_unfinished();
  EXPECT_TRUE(fs::exists(done));
  EXPECT_FALSE(fs::exists(begun));
  EXPECT_TRUE(fs::exists(replaced)) << "of another";
}

}  // namespace
}  // namespace heddle::test
