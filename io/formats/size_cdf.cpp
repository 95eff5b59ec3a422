#include "io/formats/size_cdf.hpp"

#include <fmt/format.h>

#include "io/formats/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr int kDecimals = 9;
constexpr u64 kOne = 1'000'000'000;  // in units of 10^-9
constexpr u64 kHundred = 100 * kOne;

/// The second column: from 0 to `most`, 100 or 1.
u64 probability(const TextFile& file, const Field& field, u64 most) {
  const Decimal d = parse_decimal(field.text, kDecimals);
  if (d.error != DecimalError::none || d.value > most) {
    file.fail(field, fmt::format("percentile is '{}'; write a number from 0 to {} with at most {} decimals",
                                 excerpt(field.text), most / kOne, kDecimals));
  }
  return d.value;
}

/// HPCC's distributions end at 100, those of pFabric and its successors at 1. No distribution in percent ends at 1, so
/// the last line says which one this is.
u64 max_of(const TextFile& file, const Field& last) {
  const Decimal d = parse_decimal(last.text, kDecimals);
  if (d.error == DecimalError::none && (d.value == kOne || d.value == kHundred)) return d.value;
  if (d.error != DecimalError::none || d.value > kHundred) return kHundred;  // what is wrong with it is said there
  file.fail(last,
            fmt::format("the last percentile is {}, and it must be 100 (percent) or 1 (fractions); add a line with the "
                        "largest size and {}",
                        excerpt(last.text), d.value < 2 * kOne ? "1 or 100, as the other lines have it" : "100"));
}

/// To units of 2^-32, rounded to nearest.
u64 q32_of(u64 value, u64 most) {
  const auto scaled = static_cast<unsigned __int128>(value) << 32;
  return static_cast<u64>((scaled + most / 2) / most);
}

struct Line {
  Field bytes, percentile;
};

std::vector<Line> lines_of(TextFile& file) {
  std::vector<Line> lines;
  while (!file.at_end()) {
    const TextLine line = file.take("");
    file.expect_fields(line, "bytes percentile", 2);
    lines.push_back({line.fields[0], line.fields[1]});
  }
  if (lines.size() < 2) {
    file.fail(file.last_line() == 0 ? 1 : file.last_line(), 1,
              "a distribution needs at least two lines 'bytes percentile', from 0 to 100 or from 0 to 1");
  }
  return lines;
}

}  // namespace

PlainSizeCdf read_size_cdf(const std::string& path) {
  TextFile file(path);
  const std::vector<Line> lines = lines_of(file);
  const u64 most = max_of(file, lines.back().percentile);
  PlainSizeCdf cdf;
  u64 last = 0, last_bytes = 0;
  for (const Line& line : lines) {
    const u64 bytes = file.number(line.bytes, "size", 0, static_cast<u64>(kNever), "bytes");
    const u64 p = probability(file, line.percentile, most);
    if (cdf.bytes.empty() && p != 0)
      file.fail(line.percentile, "the first percentile must be 0; add a line with the smallest size and 0");
    if (bytes < last_bytes) {
      file.fail(line.bytes, fmt::format("size {} is below the one before, {}; order the lines", bytes, last_bytes));
    }
    if (p < last)
      file.fail(line.percentile, "percentile is below the one before; it is cumulative and cannot decrease");
    last_bytes = bytes;
    last = p;
    cdf.bytes.push_back(bytes);
    cdf.probability_q32.push_back(q32_of(p, most));
  }
  if (last_bytes == 0) {
    file.fail(lines.back().bytes, "the largest size is 0 B, so every message would be empty; give the sizes in bytes");
  }
  return cdf;
}

}  // namespace heddle
