// Lines of text in a picture, and how much room they take in whole pixels.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle::drawing {

struct Place {
  i32 x = 0, y = 0, width = 0, height = 0;
  i32 right() const { return x + width; }
  i32 bottom() const { return y + height; }
};

enum class Tone : u8 { plain, faint, warning };

/// One line of text. Its place is an upper bound: its width is that of wide letters.
struct Label {
  std::string text;
  Place place;
  u32 size = 12;
  bool bold = false, centred = false;
  Tone tone = Tone::plain;
};

inline constexpr u32 kTextSize = 12;

/// An upper bound of the width, for Arial and fonts up to a fifth wider.
i32 text_width(const std::string& text, u32 size, bool bold);

/// A text whose upper left corner is at (x, y).
Label label_of(const std::string& text, i32 x, i32 y, u32 size = kTextSize);

/// The same text in bold letters; the same text, centred at `middle`.
Label bold(Label label);
Label centred_at(i32 middle, Label label);

}  // namespace heddle::drawing
