#include "io/formats/hpcc_rest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace heddle {

bool is_data(const TextLine& line) { return line.fields[0].text[0] >= '0' && line.fields[0].text[0] <= '9'; }

Rest take_rest(TextFile& file) {
  Rest rest;
  while (!file.at_end()) {
    const TextLine& line = file.take("");
    const bool data = is_data(line);
    u32& first = data ? rest.first_data : rest.first_text;
    if (first == 0) first = line.number;
    ++(data ? rest.data_lines : rest.text_lines);
    for (size_t i = 0; data && i < std::min<size_t>(2, line.fields.size()); ++i) {
      const std::string_view text = line.fields[i].text;
      u64 node = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
      if (error == std::errc{} && end == text.data() + text.size())
        rest.largest_node = std::max(rest.largest_node, node);
    }
  }
  return rest;
}

void warn_of_rest(const TextFile& file, const Rest& rest, std::string_view extra_data,
                  std::vector<std::string>* warnings) {
  if (warnings == nullptr) return;
  if (rest.data_lines != 0) {
    warnings->push_back(
        fmt::format("{}:{}:1: {} {} are left out", file.path(), rest.first_data, rest.data_lines, extra_data));
  }
  if (rest.text_lines != 0) {
    warnings->push_back(fmt::format("{}:{}:1: {} lines of text after the data are left out", file.path(),
                                    rest.first_text, rest.text_lines));
  }
}

}  // namespace heddle
