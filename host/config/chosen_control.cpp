#include "host/config/chosen_control.hpp"

#include <fmt/format.h>

#include <vector>

#include "host/config/bind.hpp"

namespace heddle {
namespace {

/// `enabled` of a control's section.
struct Switch {
  std::string control;
  const toml::node* node;
  bool on;
};

/// What the file says, or what --set arguments say.
struct Statements {
  const toml::node* named = nullptr;  // roce.congestion_control
  std::vector<Switch> switches;
};

Statements statements_of(const toml::table& root, const CongestionOptions& options, bool of_sets) {
  const auto said = [&](std::string_view section, std::string_view key) -> const toml::node* {
    const toml::node* node = root[section][key].node();
    return node != nullptr && location_of(*node).starts_with("--set") == of_sets ? node : nullptr;
  };
  Statements statements;
  statements.named = said("roce", "congestion_control");
  for_each_control(options, [&](const auto& section) {
    const toml::node* node = said(section.kInfo.name, "enabled");
    if (node != nullptr) statements.switches.push_back({std::string(section.kInfo.name), node, section.enabled});
  });
  return statements;
}

void report(const Switch& s, const std::string& other, Problems& problems) {
  problems.add(
      location_of(*s.node),
      fmt::format("{}.enabled = {} contradicts {}: all NICs have the same congestion control; remove one of the two",
                  s.control, s.on, other));
}

/// `before`, unless these statements say something else. `named`: what roce.congestion_control is, if that is said.
std::string control_after(const std::string& before, const Statements& said, const std::string& named,
                          Problems& problems) {
  std::string control = said.named != nullptr ? named : before;
  const Switch* on = nullptr;
  for (const Switch& s : said.switches) {
    if (said.named != nullptr) {
      if (s.on == (s.control == named)) continue;
      report(s, fmt::format("roce.congestion_control = \"{}\" ({})", named, location_of(*said.named)), problems);
    } else if (s.on) {
      if (on != nullptr)
        report(s, fmt::format("{}.enabled = true ({})", on->control, location_of(*on->node)), problems);
      on = &s;
      control = s.control;
    } else if (s.control == control) {
      control = kNoControl;
    }
  }
  return control;
}

}  // namespace

std::string chosen_control(const toml::table& root, const CongestionOptions& options, Problems& problems) {
  const std::string of_file = control_after(kNoControl, statements_of(root, options, false), options.control, problems);
  return control_after(of_file, statements_of(root, options, true), options.control, problems);
}

}  // namespace heddle
