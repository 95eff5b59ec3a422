#include "io/foreign/hpcc_rest.hpp"

#include <fmt/format.h>

namespace heddle {

void take_rest(TextFile& file, std::string_view what, u64 declared, const ReadOptions& options,
               std::vector<std::string>* warnings) {
  u64 data_lines = 0, text_lines = 0;
  u32 first_data = 0, first_text = 0;
  while (!file.at_end()) {
    const TextLine& line = file.take("");
    const bool data = line.fields[0].text[0] >= '0' && line.fields[0].text[0] <= '9';
    u32& first = data ? first_data : first_text;
    if (first == 0) first = line.number;
    ++(data ? data_lines : text_lines);
  }
  if (data_lines != 0 && !options.accept_extra_lines) {
    file.fail(
        first_data, 1,
        fmt::format("the first line declares {} {}, but {} more lines of data follow (HPCC would silently leave them "
                    "out) correct the number to {} or remove the lines",
                    declared, what, data_lines, declared + data_lines));
  }
  if (warnings == nullptr) return;
  if (data_lines != 0) {
    warnings->push_back(
        fmt::format("{}:{}:1: {} lines of data beyond the {} {} that the first line declares are left out", file.path(),
                    first_data, data_lines, declared, what));
  }
  if (text_lines != 0) {
    warnings->push_back(
        fmt::format("{}:{}:1: {} lines of text after the data are left out", file.path(), first_text, text_lines));
  }
}

}  // namespace heddle
