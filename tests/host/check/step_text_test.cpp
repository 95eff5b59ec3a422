// When `heddle check` suggests `heddle step`.
#include "host/check/step_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/config/config.hpp"
#include "host/scenario/build.hpp"

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

/// 100 us of 4,096 GPUs get the suggestion; a longer run, fewer GPUs and a training job do not need it.
TEST(WindowText, NamesWhatAnswersForAWholeStep) {
  const auto text = [](const std::string& racks, const std::string& horizon) {
    const Config config = load_config_text("[simulation]\nhorizon = '" + horizon + "'\n[topology]\nkind = 'ai_zone'\n" +
                                               "racks = " + racks + "\n[[message]]\nsrc = 0\ndst = 1\nbytes = '1 MB'\n",
                                           "test");
    return window_text(config, build_world(config));
  };
  const std::string found = text("256", "100 us");
  EXPECT_NE(found.find("after 100 us"), std::string::npos) << found;
  EXPECT_NE(found.find("heddle step"), std::string::npos) << found;
  EXPECT_EQ(text("256", "10 ms"), "");
  EXPECT_EQ(text("16", "100 us"), "");
  EXPECT_EQ(window_text(load_config_text(kTraining, "test"), build_world(kTraining, "test")), "");
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
