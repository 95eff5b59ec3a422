#include "kernels/congestion/parameters.hpp"

#include <algorithm>
#include <stdexcept>

namespace heddle {
namespace {

constexpr u64 kDefaultLineBps = 400'000'000'000;  // link.host_rate

}  // namespace

bool ControlOptions::scales_with_line() const {
  return std::ranges::any_of(control->presets,
                             [&](const ControlPreset& p) { return p.name == preset && p.scales_with_line; });
}

void ControlOptions::start_from_preset(u64 line_bps) {
  const std::vector<i64> given = preset.empty() ? std::vector<i64>() : control->preset(preset, line_bps);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].number = given.empty() ? values[i].parameter->value : given[i];
    values[i].flag = values[i].number != 0;
  }
}

std::vector<ControlOptions> default_control_options() {
  std::vector<ControlOptions> all;
  for (const ControlInfo& control : congestion_controls()) {
    ControlOptions options{.control = &control, .preset = {}, .values = {}};
    if (!control.presets.empty()) options.preset = control.presets.front().name;
    for (const ControlParameter& parameter : control.parameters) options.values.push_back({&parameter});
    options.start_from_preset(kDefaultLineBps);
    all.push_back(std::move(options));
  }
  return all;
}

void CongestionOptions::choose(const std::string& name) {
  control = name;
  for (ControlOptions& options : controls) options.enabled = options.control->name == name;
}

i64 CongestionOptions::value(std::string_view name, std::string_view key) const {
  for (const ControlOptions& options : controls) {
    if (options.control->name == name) return options.values[options.control->parameter_number(key)].value();
  }
  throw std::out_of_range("there is no congestion control " + std::string(name));
}

Congestion CongestionOptions::congestion() const {
  Congestion congestion{.control = control, .parameters = {}};
  for (const ControlOptions& options : controls) {
    if (options.control->name != control) continue;
    for (const ControlValue& v : options.values)
      congestion.parameters[parameter_name(*options.control, v.parameter->key)] = v.value();
  }
  return congestion;
}

}  // namespace heddle
