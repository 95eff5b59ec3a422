// What follows the declared data in HPCC's files: nothing, a description, or more data than declared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/formats/text.hpp"

namespace heddle {

struct Rest {
  u64 data_lines = 0, text_lines = 0;
  u32 first_data = 0, first_text = 0;  // lines; 0: none
  u64 largest_node = 0;                // of the two node ids with which data lines begin, where they are numbers
};

/// Lines of data begin with a digit.
bool is_data(const TextLine& line);

/// Takes all lines that are left.
Rest take_rest(TextFile& file);

/// Says that they are left out. `extra_data`: "flows beyond the 2 that the first line declares".
void warn_of_rest(const TextFile& file, const Rest& rest, std::string_view extra_data,
                  std::vector<std::string>* warnings);

}  // namespace heddle
