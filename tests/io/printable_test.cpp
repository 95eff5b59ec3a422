#include "io/printable.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\n");
  EXPECT_EQ(printable(std::string_view("\t\r\0\x7f", 4)), "\\t\\x0d\\x00\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "CSI in one character";
}

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", "5 \u00b5s", "K\u00f6ln.toml", "\u20ac", "\U0001f642", "a\\b\"c"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut off";
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(printable("\xe2\x82"
                      "a"),
            "\\xe2\\x82"
            "a");
}

TEST(Printable, AnExcerptIsShortAndOfWholeCharacters) {
  EXPECT_EQ(excerpt("a\nb"), "a\\nb");
  EXPECT_EQ(excerpt(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(excerpt(std::string(59, 'x') + "\u20acy"), std::string(59, 'x') + "\u20ac...");
}

}  // namespace
}  // namespace heddle
