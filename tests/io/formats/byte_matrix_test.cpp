// Matrices of all-to-all-v: what is read, and the message for everything that cannot be.
#include "io/formats/byte_matrix.hpp"

#include <gtest/gtest.h>

#include "io/error.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

std::string file_of(const std::string& text) { return write_text(fresh_folder() + "/matrix.txt", text); }

std::string error(const std::string& text) {
  return message_of<InputError>([&] { read_byte_matrix(file_of(text)); });
}

TEST(ByteMatrix, ReadsWhatNumpyWrites) {
  const PlainByteMatrix matrix = read_byte_matrix(file_of("7 10 20\r\n\n30 7 40\n50 1000000000000 7\n"));
  EXPECT_EQ(matrix.ranks, 3u);
  EXPECT_EQ(matrix.bytes, (std::vector<u64>{0, 10, 20, 30, 0, 40, 50, 1'000'000'000'000, 0}))
      << "what a rank sends to itself does not travel";
}

TEST(ByteMatrix, MistakesAreNamedWithTheirPlace) {
  EXPECT_NE(error("").find(":1:1: the file is empty"), std::string::npos);
  EXPECT_NE(error("1 2\n3\n").find(":2:1: line 2 has 1 numbers, and the first line has 2"), std::string::npos);
  EXPECT_NE(error("1 2\n").find(":1:1: the file ends after 1 lines of 2 numbers"), std::string::npos);
  EXPECT_NE(error("1 2\n3 4\n5 6\n").find(":3:1: there are more lines than"), std::string::npos);
  EXPECT_NE(error("1 2\n3 4.0\n").find(":2:3: bytes is '4.0'"), std::string::npos);
  EXPECT_NE(error("1 -2\n3 4\n").find(":1:3:"), std::string::npos);
  EXPECT_NE(error("1 1000000000001\n3 4\n").find(":1:3:"), std::string::npos);
  EXPECT_NE(error("1,2\n3,4\n").find(":1:1:"), std::string::npos) << "blanks, not commas";
}

}  // namespace
}  // namespace heddle::test
