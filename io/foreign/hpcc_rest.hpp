// What follows the declared data in HPCC's files: nothing, a description, or more data than declared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/foreign/hpcc.hpp"
#include "io/foreign/text.hpp"

namespace heddle {

/// Refuses more data (lines that begin with a digit) unless `options` accept it; skips a description with a warning.
void take_rest(TextFile& file, std::string_view what, u64 declared, const ReadOptions& options,
               std::vector<std::string>* warnings);

}  // namespace heddle
