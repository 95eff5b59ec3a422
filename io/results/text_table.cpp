#include "io/results/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace heddle {
namespace {

/// Formats six significant digits without trailing zeros.
std::string digits(double value) { return fmt::format("{:.6g}", value); }

}  // namespace

std::string TextTable::text(const std::string& indent) const {
  std::vector<size_t> widths;
  for (const auto& cells : rows_) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string out;
  for (const auto& cells : rows_) {
    std::string line = indent;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) line += "  ";
      line += i < left_ ? fmt::format("{:<{}}", cells[i], widths[i]) : fmt::format("{:>{}}", cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string human_time(TimePs time_ps) {
  if (time_ps < 0) return "-";
  const auto t = static_cast<double>(time_ps);
  if (time_ps < 1'000) return fmt::format("{} ps", time_ps);
  if (time_ps < 1'000'000) return digits(t / 1e3) + " ns";
  if (time_ps < 1'000'000'000) return digits(t / 1e6) + " us";
  if (time_ps < 1'000'000'000'000) return digits(t / 1e9) + " ms";
  return digits(t / 1e12) + " s";
}

namespace {

/// Formats bytes in the largest of `units`, each `step` times the one before, that is at most `bytes`.
std::string in_units(u64 bytes, double step, std::span<const char* const> units) {
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= step && unit + 1 < units.size(); ++unit) value /= step;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace

std::string at_least(const std::string& text, bool is_bound) { return is_bound ? ">= " + text : text; }

std::string human_bytes(u64 bytes) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  return in_units(bytes, 1000, kUnits);
}

std::string size_text(u64 bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  return bytes != 0 && bytes % 1024 == 0 ? in_units(bytes, 1024, kUnits) : human_bytes(bytes);
}

std::string human_rate(u64 bits_per_s) {
  const auto rate = static_cast<double>(bits_per_s);
  if (bits_per_s >= 1'000'000'000'000) return digits(rate / 1e12) + " Tb/s";
  if (bits_per_s >= 1'000'000'000) return digits(rate / 1e9) + " Gb/s";
  if (bits_per_s >= 1'000'000) return digits(rate / 1e6) + " Mb/s";
  return digits(rate / 1e3) + " kb/s";
}

std::string grouped(u64 value) {
  std::string text = std::to_string(value);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace heddle
