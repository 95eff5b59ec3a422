#include "host/config/values.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "io/units.hpp"

namespace heddle {
namespace {

/// Appends the rows of one parameter: a visitor of its target.
struct Rows {
  const BoundParameter& parameter;
  std::string key;
  std::vector<ConfigValue>& rows;

  void add(u32 element, std::string text, double number, std::string_view unit) const {
    rows.push_back({key, element, std::move(text), number, std::string(unit)});
  }
  void add_text(u32 element, const std::string& text) const {
    add(element, text, std::numeric_limits<double>::quiet_NaN(), "");
  }
  void add_integer(u32 element, i64 value) const {
    const std::string_view unit = base_unit(parameter.quantity);
    const std::string text = unit.empty() ? fmt::format("{}", value) : format_quantity(value, parameter.quantity);
    add(element, text, static_cast<double>(value), unit.empty() ? "1" : unit);
  }

  void operator()(const bool* v) const { add(0, *v ? "true" : "false", *v ? 1 : 0, "1"); }
  void operator()(const u32* v) const { add_integer(0, *v); }
  void operator()(const u64* v) const { add_integer(0, static_cast<i64>(*v)); }
  void operator()(const i64* v) const { add_integer(0, *v); }
  void operator()(const double* v) const { add(0, toml_value(parameter), *v, "1"); }
  void operator()(const std::string* v) const { add_text(0, *v); }
  void operator()(const std::vector<u64>* v) const {
    for (size_t i = 0; i < v->size(); ++i) add_integer(static_cast<u32>(i), static_cast<i64>((*v)[i]));
    if (v->empty()) add_text(0, "[]");
  }
  void operator()(const std::vector<std::string>* v) const {
    for (size_t i = 0; i < v->size(); ++i) add_text(static_cast<u32>(i), (*v)[i]);
    if (v->empty()) add_text(0, "[]");
  }
};

}  // namespace

std::vector<ConfigValue> config_values(const Config& config) {
  Config copy = config;  // sections hold pointers to fields that may be written
  std::vector<ConfigValue> rows;
  for (const Section& section : sections_of(copy)) {
    for (const BoundParameter& p : section.parameters) {
      if (!applies(section, p)) continue;
      const std::string key = section.path.empty() ? std::string(p.key) : fmt::format("{}.{}", section.path, p.key);
      std::visit(Rows{p, key, rows}, p.target);
    }
  }
  return rows;
}

}  // namespace heddle
