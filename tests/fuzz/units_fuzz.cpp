// A quantity with its unit. The first character of the input says which one: t time, b bytes, r bit/s, s B/s.
#include "io/units.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

heddle::Quantity quantity_of(char letter) {
  using heddle::Quantity;
  switch (letter) {
    case 't':
      return Quantity::time_ps;
    case 'b':
      return Quantity::bytes;
    case 'r':
      return Quantity::bits_per_s;
    default:
      return Quantity::bytes_per_s;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle::fuzz;
  if (size == 0) return 0;
  const std::string_view text = text_of(data, size);
  const heddle::Quantity quantity = quantity_of(text[0]);
  const heddle::QuantityResult read = heddle::parse_quantity(text.substr(1), quantity);
  if (!read.problem.empty()) return 0;
  require(read.value >= 0, "no quantity is negative");
  const heddle::QuantityResult again = heddle::parse_quantity(heddle::format_quantity(read.value, quantity), quantity);
  require(again.problem.empty() && again.value == read.value, "a printed quantity reads back to the same");
  return 0;
}
