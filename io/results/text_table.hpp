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

/// Returns "12.345 us": four to six digits with the unit that suits; "-" for negative (never).
std::string human_time(TimePs time_ps);
/// Returns ">= 12 ms" for a lower bound.
std::string at_least(const std::string& text, bool is_bound);
/// Returns "1.573 MB": a measured value, in decimal units as in all of Heddle's messages.
std::string human_bytes(u64 bytes);
/// Returns "64 MiB": a configured size, in the binary units of configurations where it is whole; otherwise as
/// human_bytes.
std::string size_text(u64 bytes);
/// Returns "400 Gb/s", from kb/s to Tb/s.
std::string human_rate(u64 bits_per_s);
/// Returns "12,345,678".
std::string grouped(u64 value);

}  // namespace heddle
