#include "host/config/bind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "io/nearest.hpp"
#include "io/printable.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

std::string type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a decimal number";
    case toml::node_type::boolean:
      return "a flag";
    default:
      return "a date or time";
  }
}

/// A whole number that 63 bits do not hold, as TOML writes it.
bool is_large_integer(std::string_view text) {
  std::string digits(text.substr(text.starts_with('+') ? 1 : 0));
  std::erase(digits, '_');
  i64 value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc::result_out_of_range && end == digits.data() + digits.size();
}

bool is_date(const toml::node& node) { return node.is_date() || node.is_time() || node.is_date_time(); }

/// One value, converted and checked; reports a problem and then leaves the target unchanged.
class ValueReader {
 public:
  ValueReader(const toml::node& node, const BoundParameter& parameter, std::string path, Problems& problems)
      : node_(node), parameter_(parameter), path_(std::move(path)), problems_(problems) {}

  void operator()(bool* out) {
    if (const auto v = node_.value_exact<bool>()) {
      *out = *v;
    } else {
      wrong_type(node_);
    }
  }
  void operator()(u32* out) { integer_into(node_, out, 4294967295.0); }
  void operator()(u64* out) { integer_into(node_, out, 9.2e18); }
  void operator()(i64* out) { integer_into(node_, out, 9.2e18); }
  void operator()(double* out) {
    const auto v = node_.is_number() ? node_.value<double>() : std::nullopt;
    if (!v) return wrong_type(node_);
    if (!std::isfinite(*v)) {
      return problem(node_, fmt::format("{} is no finite number; expected {}", *v, describe_type(parameter_)));
    }
    if (in_range(node_, *v)) *out = *v;
  }
  void operator()(std::string* out) {
    const auto v = node_.value_exact<std::string>();
    if (!v) return wrong_type(node_);
    if (is_choice(node_, *v)) *out = *v;
  }
  void operator()(std::vector<u64>* out) {
    std::vector<u64> values;
    for_each_element([&](const toml::node& element) {
      u64 value = 0;
      if (integer_into(element, &value, 9.2e18)) values.push_back(value);
    });
    *out = std::move(values);
  }
  void operator()(std::vector<std::string>* out) {
    std::vector<std::string> values;
    for_each_element([&](const toml::node& element) {
      if (const auto v = element.value_exact<std::string>()) {
        if (is_choice(element, *v)) values.push_back(*v);
      } else {
        wrong_type(element);
      }
    });
    *out = std::move(values);
  }

 private:
  template <class F>
  void for_each_element(F f) {
    if (const toml::array* list = node_.as_array()) {
      for (const toml::node& element : *list) f(element);
    } else {
      f(node_);  // a single value may be written without brackets
    }
  }

  template <class Int>
  bool integer_into(const toml::node& node, Int* out, double type_max) {
    i64 value = 0;
    if (!read_integer(node, &value)) return false;
    if (!in_range(node, static_cast<double>(value))) return false;
    if (static_cast<double>(value) > type_max) {
      problem(node, fmt::format("{} is larger than this parameter can hold ({})", value, static_cast<u64>(type_max)));
      return false;
    }
    *out = static_cast<Int>(value);
    return true;
  }

  bool read_integer(const toml::node& node, i64* out) {
    const bool physical = !accepted_units(parameter_.quantity).empty();
    if (const auto v = node.value_exact<i64>()) {
      if (!bare_number_allowed(parameter_.quantity, static_cast<double>(*v))) {
        problem(node, fmt::format("{} has no unit; write it as a text with one of: {}", *v,
                                  accepted_units(parameter_.quantity)));
        return false;
      }
      *out = *v;
      return true;
    }
    const auto text = node.value_exact<std::string>();
    if (!text || !physical) return wrong_type(node), false;
    const QuantityResult result = parse_quantity(*text, parameter_.quantity);
    if (!result.problem.empty()) {
      problem(node, fmt::format("{} {}", quoted(*text), result.problem));
      return false;
    }
    *out = result.value;
    return true;
  }

  bool in_range(const toml::node& node, double value) {
    if (value >= parameter_.min && value <= parameter_.max) return true;
    problem(node, fmt::format("{} is out of range; expected {}", written(node), describe_type(parameter_)));
    return false;
  }

  /// A number, a flag or a quantity, as the user wrote it.
  static std::string written(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) return quoted(*text);
    if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    if (const auto integer = node.value_exact<i64>()) return fmt::format("{}", *integer);
    return fmt::format("{}", node.value_or(0.0));
  }

  bool is_choice(const toml::node& node, const std::string& word) {
    if (parameter_.choices.empty()) return true;
    const std::vector<std::string_view> words = words_in(parameter_.choices);
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
    const std::string near = nearest_word(word, words);
    problem(node, fmt::format("{} is not one of {}{}", quoted(word), parameter_.choices,
                              near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    return false;
  }

  /// The number of "10 %" or "10%".
  static std::optional<double> percent_of(std::string_view text) {
    if (!text.ends_with('%')) return std::nullopt;
    text = text.substr(0, text.find_last_not_of(" %") + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  bool wants_number() const {
    return !std::holds_alternative<bool*>(parameter_.target) &&
           !std::holds_alternative<std::string*>(parameter_.target) &&
           !std::holds_alternative<std::vector<std::string>*>(parameter_.target);
  }

  void wrong_type(const toml::node& node) {
    // --set reads text that is not TOML as a string, and TOML's integers end at 63 bits
    const auto text = node.value_exact<std::string>();
    if (text && wants_number() && is_large_integer(*text)) {
      return problem(node, fmt::format("{} is too large for any integer (they end at 9223372036854775807); expected {}",
                                       *text, describe_type(parameter_)));
    }
    const std::string value = node.is_value() && !is_date(node) ? written(node) + " " : "";
    const auto percent = text && std::holds_alternative<double*>(parameter_.target) ? percent_of(*text) : std::nullopt;
    const std::string advice = percent ? fmt::format("; give {:.6g}", *percent / 100) : "";
    problem(node, fmt::format("{}is {}; expected {}{}", value, type_name(node), describe_type(parameter_), advice));
  }

  void problem(const toml::node& node, const std::string& message) {
    problems_.add(location_of(node), fmt::format("{}: {} ({})", path_, message, parameter_.help));
  }

  const toml::node& node_;
  const BoundParameter& parameter_;
  std::string path_;
  Problems& problems_;
};

/// Advice for a key of earlier versions; "" for any other key.
std::string about_removed(std::string_view key, const Section& section) {
  if (!section.path.empty() || key != "acceleration") return "";
  return "acceleration was removed, as it saved little time: leave the section out (for a large training job, `heddle "
         "step` gives the time of a step with an interval)";
}

/// A suggestion of the key that was probably meant.
std::string about_known(std::string_view key, const Section& section) {
  std::vector<std::string_view> known(section.children);
  for (const BoundParameter& p : section.parameters) known.push_back(p.key);
  const std::string near = nearest_word(key, known);
  if (!near.empty()) return fmt::format("did you mean \"{}\"?", near);
  std::string text;
  for (const std::string_view k : known) text += (text.empty() ? "known keys: " : ", ") + std::string(k);
  return text;
}

void report_unknown(const toml::key& key, const toml::node& node, const Section& section, Problems& problems) {
  const std::string removed = about_removed(key.str(), section);
  const std::string hint = removed.empty() ? about_known(key.str(), section) : removed;
  const std::string where = section.path.empty() ? std::string("at the top level") : "in " + section.path;
  // the position of the key, not of its value; nodes from --set have no useful position
  const auto& begin = key.source().begin;
  const auto& path = key.source().path;
  const bool in_file = path && path->rfind("--set", 0) != 0 && begin;
  problems.add(in_file ? fmt::format("{}:{}:{}", *path, begin.line, begin.column) : location_of(node),
               fmt::format("unknown key {} {}; {}", quoted(key.str()), where, hint));
}

}  // namespace

std::string location_of(const toml::node& node) {
  const toml::source_region& source = node.source();
  std::string path = source.path ? *source.path : std::string("configuration");
  if (path.rfind("--set", 0) == 0 || !source.begin) return path;
  return fmt::format("{}:{}:{}", path, source.begin.line, source.begin.column);
}

void bind_section(const toml::table& table, const Section& section, Problems& problems) {
  for (const auto& [key, node] : table) {
    const auto match = [&, name = key.str()](const BoundParameter& p) { return p.key == name; };
    const auto parameter = std::find_if(section.parameters.begin(), section.parameters.end(), match);
    if (parameter != section.parameters.end()) {
      const std::string path =
          section.path.empty() ? std::string(key.str()) : fmt::format("{}.{}", section.path, key.str());
      std::visit(ValueReader(node, *parameter, path, problems), parameter->target);
    } else if (std::find(section.children.begin(), section.children.end(), key.str()) == section.children.end()) {
      report_unknown(key, node, section, problems);
    }
  }
  for (const BoundParameter& p : section.parameters) {
    if (p.source != kToBeGiven || table.contains(p.key)) continue;
    problems.add(location_of(table),
                 fmt::format("{} needs the key \"{}\": {} ({})", section.header, p.key, p.help, describe_type(p)));
  }
}

void report_keys_without_effect(const toml::table& table, const Section& section, Problems& problems) {
  for (const BoundParameter& p : section.parameters) {
    const toml::node* given = table.get(p.key);
    if (given == nullptr || applies(section, p)) continue;
    problems.add(location_of(*given),
                 fmt::format("{}{}{}: has no effect here, it belongs to {}; remove it, or change that", section.path,
                             section.path.empty() ? "" : ".", p.key, p.only_with));
  }
}

}  // namespace heddle
