#include "host/config/section.hpp"

#include <fmt/format.h>

#include "io/printable.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

std::string number(i64 value, Quantity quantity) {
  if (quantity == Quantity::none || quantity == Quantity::ratio) return fmt::format("{}", value);
  return quoted(format_quantity(value, quantity));
}

struct ValuePrinter {
  Quantity quantity;

  std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
  std::string operator()(const u32* v) const { return number(*v, quantity); }
  std::string operator()(const u64* v) const { return number(static_cast<i64>(*v), quantity); }
  std::string operator()(const i64* v) const { return number(*v, quantity); }
  std::string operator()(const double* v) const {
    std::string text = fmt::format("{}", *v);  // the shortest text that reads back to the same bits
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  }
  std::string operator()(const std::string* v) const { return quoted(*v); }
  std::string operator()(const std::vector<u64>* v) const {
    std::string out;
    for (const u64 x : *v) out += (out.empty() ? "" : ", ") + number(static_cast<i64>(x), quantity);
    return "[" + out + "]";
  }
  std::string operator()(const std::vector<std::string>* v) const {
    std::string out;
    for (const std::string& x : *v) out += (out.empty() ? "" : ", ") + quoted(x);
    return "[" + out + "]";
  }
};

std::string range_text(const BoundParameter& p) {
  const bool physical = !accepted_units(p.quantity).empty();
  const auto show = [&](double x) {
    if (physical) return format_quantity(static_cast<i64>(x), p.quantity);
    return x == static_cast<double>(static_cast<i64>(x)) ? fmt::format("{}", static_cast<i64>(x))
                                                         : fmt::format("{:.6g}", x);
  };
  if (p.max >= 4.6e18) return "at least " + show(p.min);
  return show(p.min) + " to " + show(p.max);
}

}  // namespace

std::string toml_value(const BoundParameter& parameter) {
  return std::visit(ValuePrinter{parameter.quantity}, parameter.target);
}

std::string describe_type(const BoundParameter& p) {
  if (std::holds_alternative<bool*>(p.target)) return "true or false";
  if (std::holds_alternative<std::string*>(p.target)) {
    return p.choices.empty() ? "text" : fmt::format("one of {}", p.choices);
  }
  if (std::holds_alternative<std::vector<std::string>*>(p.target))
    return p.choices.empty() ? "list of texts" : fmt::format("list, each one of {}", p.choices);
  std::string out = std::holds_alternative<std::vector<u64>*>(p.target) ? "list of " : "";
  if (std::holds_alternative<double*>(p.target)) {
    out += "number";
  } else if (p.quantity == Quantity::time_ps) {
    out += "time";
  } else if (p.quantity == Quantity::bytes) {
    out += "bytes";
  } else if (p.quantity == Quantity::bits_per_s || p.quantity == Quantity::bytes_per_s) {
    out += "rate";
  } else {
    out += "integer";
  }
  if (const std::string units = accepted_units(p.quantity); !units.empty()) out += " (" + units + ")";
  if (const std::string range = range_text(p); !range.empty()) out += ", " + range;
  return out;
}

bool applies(const Section& section, const BoundParameter& parameter) {
  const size_t equals = parameter.only_with.find('=');
  if (equals == std::string_view::npos) return true;
  const std::string_view key = parameter.only_with.substr(0, equals);
  const std::string words = fmt::format("|{}|", parameter.only_with.substr(equals + 1));
  const auto listed = [&](std::string_view value) {
    return words.find(fmt::format("|{}|", value)) != std::string::npos;
  };
  bool known = false, any = false;  // as a job has several collectives
  for (const auto& [fact, value] : section.facts) {
    if (fact != key) continue;
    known = true;
    any = any || listed(value);
  }
  if (known) return any;
  for (const BoundParameter& other : section.parameters) {
    if (other.key != key) continue;
    if (!applies(section, other)) return false;
    const bool* const* flag = std::get_if<bool*>(&other.target);
    return listed(flag != nullptr ? (**flag ? "true" : "false") : *std::get<std::string*>(other.target));
  }
  return true;
}

}  // namespace heddle
