// Names in commands that are copied.
#include <gtest/gtest.h>

#include "io/shell_word.hpp"

namespace heddle::test {
namespace {

TEST(ShellWord, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_word("out/run-1.h5.part"), "out/run-1.h5.part");
  EXPECT_EQ(shell_word("h\xc3\xa9.h5"), "h\xc3\xa9.h5");
  EXPECT_EQ(shell_word("a b;$(c).h5"), "'a b;$(c).h5'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("~root"), "'~root'");
}

TEST(ShellWord, WritesControlCharactersAsEscapes) { EXPECT_EQ(shell_word("a\nb'\x1b"), "$'a\\nb\\'\\x1b'"); }

}  // namespace
}  // namespace heddle::test
