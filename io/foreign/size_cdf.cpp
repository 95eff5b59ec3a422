#include "io/foreign/size_cdf.hpp"

#include <fmt/format.h>

#include "io/foreign/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr int kDecimals = 9;
constexpr u64 kHundredPercent = 100'000'000'000;  // in units of 10^-9 percent

u64 percent(const TextFile& file, const Field& field) {
  const Decimal d = parse_decimal(field.text, kDecimals);
  if (d.error != DecimalError::none || d.value > kHundredPercent) {
    file.fail(field, fmt::format("percentile is '{}'; write a number from 0 to 100 with at most {} decimals",
                                 excerpt(field.text), kDecimals));
  }
  return d.value;
}

/// To units of 2^-32, rounded to nearest.
u64 q32_of(u64 percent_e9) {
  const auto scaled = static_cast<unsigned __int128>(percent_e9) << 32;
  return static_cast<u64>((scaled + kHundredPercent / 2) / kHundredPercent);
}

}  // namespace

PlainSizeCdf read_size_cdf(const std::string& path) {
  TextFile file(path);
  PlainSizeCdf cdf;
  u64 last_percent = 0, last_bytes = 0;
  u32 line_number = 1;
  while (!file.at_end()) {
    const TextLine& line = file.take("");
    line_number = line.number;
    file.expect_fields(line, "bytes percentile", 2);
    const u64 bytes = file.number(line.fields[0], "size", 0, static_cast<u64>(kNever), "bytes");
    const u64 p = percent(file, line.fields[1]);
    if (cdf.bytes.empty() && p != 0)
      file.fail(line.fields[1], "the first percentile must be 0; add a line with the smallest size and 0");
    if (bytes < last_bytes)
      file.fail(line.fields[0], fmt::format("size {} is below the one before, {}; order the lines", bytes, last_bytes));
    if (p < last_percent)
      file.fail(line.fields[1], "percentile is below the one before; it is cumulative and cannot decrease");
    last_bytes = bytes;
    last_percent = p;
    cdf.bytes.push_back(bytes);
    cdf.probability_q32.push_back(q32_of(p));
  }
  if (cdf.bytes.size() < 2)
    file.fail(line_number, 1, "a distribution needs at least two lines 'bytes percentile', from 0 to 100");
  if (last_percent != kHundredPercent)
    file.fail(line_number, 1, "the last percentile must be 100; add a line with the largest size and 100");
  return cdf;
}

}  // namespace heddle
