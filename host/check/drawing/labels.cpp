#include "host/check/drawing/labels.hpp"

namespace heddle::drawing {

i32 text_width(const std::string& text, u32 size, bool bold) {
  u32 thousandths = 0;
  for (const char c : text) thousandths += c >= 'A' && c <= 'Z' ? 740 : c == 'm' || c == 'w' ? 840 : 560;
  return static_cast<i32>((thousandths * size * (bold ? 108 : 100) + 99'999) / 100'000);
}

Label label_of(const std::string& text, i32 x, i32 y, u32 size) {
  return {.text = text, .place = {x, y, text_width(text, size, false), static_cast<i32>(size)}, .size = size};
}

Label bold(Label label) {
  label.bold = true;
  label.place.width = text_width(label.text, label.size, true);
  return label;
}

Label centred_at(i32 middle, Label label) {
  label.place.x = middle - label.place.width / 2;
  label.centred = true;
  return label;
}

}  // namespace heddle::drawing
