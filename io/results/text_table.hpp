// Plain-text tables and human units, for reports on a terminal.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// Rows of cells, printed in columns as wide as their widest cell.
class TextTable {
 public:
  /// The first `left` columns are aligned to the left, the others to the right.
  explicit TextTable(u32 left = 1) : left_(left) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// Every line starts with `indent`.
  std::string text(const std::string& indent = "  ") const;

 private:
  u32 left_;
  std::vector<std::vector<std::string>> rows_;
};

/// "12.345 us": four to six digits with the unit that suits; "-" for negative (never).
std::string human_time(TimePs time_ps);
/// ">= 12 ms" of a lower bound.
std::string at_least(const std::string& text, bool is_bound);
/// "1.573 MB": what was measured, in decimal units as all of Heddle's messages have it.
std::string human_bytes(u64 bytes);
/// "64 MiB": a size that a configuration gave, in the units that it usually gives sizes in; else as human_bytes.
std::string size_text(u64 bytes);
/// "400 Gb/s", from kb/s to Tb/s.
std::string human_rate(u64 bits_per_s);
/// "12,345,678"
std::string grouped(u64 value);

}  // namespace heddle
