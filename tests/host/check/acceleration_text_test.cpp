// What `heddle check` says of ways to simulate less.
#include "host/check/acceleration_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

constexpr const char* kTraining = R"(
[topology]
kind = "ai_zone"
racks = 2
[[job]]
gpus = 32
[job.training]
model = "llama3_8b"
tensor_parallel = 8
)";

TEST(PartsText, NamesTheCommandForAStepThatTakesLong) {
  const Config trains = load_config_text(kTraining, "test");
  EXPECT_NE(parts_text(trains, 3600).find("heddle step"), std::string::npos);
  EXPECT_EQ(parts_text(trains, 60), "") << "it can be simulated whole";
}

TEST(PartsText, SaysNothingOfWhatIsNoStep) {
  const Config sends = load_config_text("[[message]]\nsrc = 0\ndst = 1\nbytes = '1 TB'\n", "test");
  EXPECT_EQ(parts_text(sends, 3600), "");
  const Config two =
      load_config_text(std::string(kTraining) + "[[job]]\ngpus = 0\n[[job.collective]]\nsizes = ['1 MiB']\n", "test");
  EXPECT_EQ(parts_text(two, 3600), "");
}

}  // namespace
}  // namespace heddle
