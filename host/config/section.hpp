// A section of the configuration seen through its parameter tables: one view for reading, dumping and documenting.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// A Parameter together with the object whose field it describes. Valid as long as the object does not move.
struct BoundParameter {
  using Target =
      std::variant<bool*, u32*, u64*, i64*, double*, std::string*, std::vector<u64>*, std::vector<std::string>*>;
  std::string_view key;
  Target target;
  Quantity quantity = Quantity::none;
  double min = 0, max = 9.2e18;
  std::string_view choices, help, source, only_with;
};

/// The source of a required key, which has no default.
inline constexpr std::string_view kToBeGiven = "to be given";

/// One table of the file, or one element of an array of tables. Paths are written as --set has them.
struct Section {
  std::string path;    // path as in --set: "link", "job.0.collective.1"; "" is the top level
  std::string header;  // as the file writes it: "[link]", "[[job.collective]]"
  std::string help;
  std::vector<BoundParameter> parameters;
  std::vector<std::string_view> children;  // keys that are sections themselves
  /// Facts that parameters may depend on (only_with) beyond this section's own keys: {"collective.kind", "gather"},
  /// possibly several with one key.
  std::vector<std::pair<std::string_view, std::string>> facts;
};

/// A parameter of any table, bound to `target`.
template <class AnyParameter>
BoundParameter bound(const AnyParameter& p, BoundParameter::Target target, std::string_view only_with) {
  return {p.key, target, p.quantity, p.min, p.max, p.choices, p.help, p.source, only_with};
}

/// Adds the parameters of `options` to the section; a section may be composed of several option structs.
template <class Options, class Table>
void add_parameters(Section& section, Options& options, const Table& table) {
  for (const auto& p : table) {
    const auto target = p.field.visit([&](auto member) { return BoundParameter::Target(&(options.*member)); });
    section.parameters.push_back(bound(p, target, p.only_with));
  }
}

/// Whether the parameter has an effect, given the present value of the key or the fact that it depends on. True where
/// the section has neither.
bool applies(const Section& section, const BoundParameter& parameter);

/// The present value as TOML: 4, true, "500 ns", ["1 MiB", "8 MiB"].
std::string toml_value(const BoundParameter& parameter);

/// The accepted values, for people: "time (ps, ns, us, ms, s), 1 ps to 1 s", "one of ecmp|e_ecmp".
std::string describe_type(const BoundParameter& parameter);

}  // namespace heddle
