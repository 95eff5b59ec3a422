// The heading of a picture of a fabric.
#include "host/commands/picture.hpp"

#include <gtest/gtest.h>

#include "host/config/config.hpp"

namespace heddle {
namespace {

std::string title_of(const std::string& topology) {
  return picture_title("configs/mesh.toml", load_config_text("[topology]\n" + topology, "test.toml").fabric.topology);
}

TEST(Picture, ItsHeadingHasTheDimensionsThatTiersDoNotShow) {
  EXPECT_EQ(title_of("kind = \"torus\"\n[topology.torus]\ncolumns = 4\nrows = 8\n"),
            "mesh: torus, 4 columns x 8 rows of leaves, all rings");
  EXPECT_EQ(title_of("kind = \"hamming_mesh\"\n[topology.hamming_mesh]\ncolumns = 4\n"),
            "mesh: HammingMesh, 4 x 16 boards of 2 x 2 leaves (columns x rows)");
  EXPECT_EQ(title_of("kind = \"fat_tree\"\n"), "mesh");
}

}  // namespace
}  // namespace heddle
