// Explanations of how runs end: they name what a user can change.
#include "kernels/observe/explain.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Explain, FullEventBufferNamesTheOptions) {
  const std::string text = explain_full_events(5'000'000, 4'194'304);
  for (const char* part : {"5000000 events", "holds 4194304", "output.drop_events", "output.pfc_events",
                           "output.pfc_file", "simulation.tick", "--device cpu"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
}

}  // namespace
}  // namespace heddle
