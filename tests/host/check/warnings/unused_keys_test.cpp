// Keys that are given and have no effect.
#include "host/check/warnings/unused_keys.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/config/config.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

/// 12 cables between switches, 8 of NICs.
std::vector<std::string> unused(const std::string& text) {
  const std::string path = testing::TempDir() + "heddle_unused_keys.toml";
  std::ofstream(path)
      << "[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 4\nctsws = 3\nuplinks_per_rtsw = 6\n"
         "[[message]]\nsrc = 0\ndst = 4\nbytes = 1000\n" +
             text;
  const Config config = load_config(path);
  const std::vector<std::string> warnings = unused_keys(config, {}, build_world(config));
  std::filesystem::remove(path);
  return warnings;
}

TEST(UnusedKeys, APartOfTheCablesThatIsNone) {
  const std::vector<std::string> none = unused("[failures]\ndead_fraction = 0.04\n");
  ASSERT_EQ(none.size(), 1u);
  EXPECT_NE(none[0].find("failures.dead_fraction has no effect here: 0.04 of 12 cables between switches is less than "
                         "half a cable, so none is dead; the least useful value is 0.0417"),
            std::string::npos)
      << none[0];
  EXPECT_TRUE(unused("[failures]\ndead_fraction = 0.0417\n").empty());
  const std::vector<std::string> nics = unused("[failures]\ndead_fraction = 0.04\ncables = \"nics\"\n");
  ASSERT_EQ(nics.size(), 1u);
  EXPECT_NE(nics[0].find("8 cables of NICs"), std::string::npos) << nics[0];
  EXPECT_TRUE(unused("[failures]\ndead_fraction = 0\n").empty()) << "nothing is asked for";
}

}  // namespace
}  // namespace heddle
