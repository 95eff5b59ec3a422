#include "kernels/congestion/controls.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace heddle {
namespace {

/// Calls f(field) with the field of `settings` that a parameter means: a flag or a whole number. A call, as GCC would
/// warn of the fields of other types, which are never looked at.
template <class Settings, class F>
[[gnu::noinline]] void with_field(const Parameter<Settings>& parameter, Settings& settings, const F& f) {
  parameter.field.visit([&](auto member) {
    if constexpr (std::is_integral_v<std::remove_reference_t<decltype(settings.*member)>>) f(settings.*member);
  });
}

template <class Settings>
i64 value_of(const Parameter<Settings>& parameter, Settings& settings) {
  i64 value = 0;
  with_field(parameter, settings, [&](auto& field) { value = static_cast<i64>(field); });
  return value;
}

template <class Control>
std::vector<ControlParameter> parameters_of() {
  typename Control::Settings defaults{};
  std::vector<ControlParameter> all;
  for (const auto& p : Control::parameters()) {
    all.push_back({p.key, p.quantity, p.field.is_flag(), value_of(p, defaults), p.min, p.max, p.help, p.source});
  }
  return all;
}

template <class Control>
std::vector<i64> preset_values(std::string_view preset, u64 line_bps) {
  typename Control::Settings settings = Control::preset(preset, line_bps);
  std::vector<i64> values;
  for (const auto& p : Control::parameters()) values.push_back(value_of(p, settings));
  return values;
}

/// What text_of(preset) says of each, with `separator` between them.
template <class TextOf>
std::string joined(std::span<const ControlPreset> presets, std::string_view separator, const TextOf& text_of) {
  std::string all;
  for (const ControlPreset& preset : presets) all.append(all.empty() ? "" : separator).append(text_of(preset));
  return all;
}

template <class Control>
ControlInfo info_of() {
  static_assert(std::is_trivially_copyable_v<typename Control::Settings>);
  static_assert(std::is_trivially_copyable_v<typename Control::State>);
  static const std::vector<ControlParameter> parameters = parameters_of<Control>();
  static const std::string words = joined(Control::kInfo.presets, "|", [](const ControlPreset&p) { return p.name; }),
                           sources = joined(Control::kInfo.presets, "; ", [](const ControlPreset&p) {
                             return std::string(p.name).append(": ").append(p.source);
                           });
  ControlInfo info = Control::kInfo;
  info.parameters = parameters;
  info.preset_words = words;
  info.preset_sources = sources;
  info.state_bytes = sizeof(typename Control::State);
  if constexpr (requires { &Control::preset; }) info.preset = preset_values<Control>;
  return info;
}

template <class Control>
typename Control::Settings settings_of(const Congestion& congestion) {
  typename Control::Settings settings{};
  for (const auto& p : Control::parameters()) {
    const auto given = congestion.parameters.find(parameter_name(Control::kInfo, p.key));
    if (given == congestion.parameters.end()) continue;
    with_field(p, settings,
               [&](auto& field) { field = static_cast<std::remove_reference_t<decltype(field)>>(given->second); });
  }
  Control::set_up(settings);
  return settings;
}

u32 number_of(const ControlInfo& control) { return static_cast<u32>(&control - congestion_controls().data()); }

}  // namespace

u32 ControlInfo::parameter_number(std::string_view key) const {
  for (u32 i = 0; i < parameters.size(); ++i) {
    if (parameters[i].key == key) return i;
  }
  throw std::out_of_range("the congestion control " + std::string(name) + " has no setting " + std::string(key));
}

std::span<const ControlInfo> congestion_controls() {
  static const std::vector<ControlInfo> all = [] {
    std::vector<ControlInfo> infos;
    for (u32 i = 0; i < CongestionControls::kCount; ++i) {
      infos.push_back(
          CongestionControls::visit(i, [](auto tag) { return info_of<typename decltype(tag)::Control>(); }));
    }
    return infos;
  }();
  return all;
}

const ControlInfo* find_congestion_control(std::string_view name) {
  for (const ControlInfo& control : congestion_controls()) {
    if (control.name == name) return &control;
  }
  return nullptr;
}

const ControlInfo* control_of(const Congestion& congestion) {
  if (congestion.none()) return nullptr;
  const ControlInfo* control = find_congestion_control(congestion.control);
  if (control == nullptr)
    throw std::invalid_argument("roce: there is no congestion control '" + congestion.control + "'");
  return control;
}

Congestion congestion_with(std::string_view name) {
  Congestion congestion{.control = std::string(name), .parameters = {}};
  const ControlInfo* control = control_of(congestion);
  if (control == nullptr) return congestion;
  for (const ControlParameter& p : control->parameters)
    congestion.parameters[parameter_name(*control, p.key)] = p.value;
  return congestion;
}

std::string parameter_name(const ControlInfo& control, std::string_view key) {
  return std::string(control.name) + "." + std::string(key);
}

ControlView control_view(const Congestion& congestion) {
  ControlView view;
  view.whole_nanoseconds = congestion.whole_nanoseconds;
  const ControlInfo* control = control_of(congestion);
  if (control == nullptr) return view;
  view.number = number_of(*control);
  view.state_bytes = control->state_bytes;
  view.sends_cnps = control->uses_cnps;
  CongestionControls::visit(view.number, [&](auto tag) {
    using Control = typename decltype(tag)::Control;
    const auto settings = settings_of<Control>(congestion);
    if constexpr (Control::kInfo.uses_cnps) view.cnp_gap_ps = settings.cnp_gap_ps;
  });
  return view;
}

std::vector<std::byte> control_settings_bytes(const Congestion& congestion) {
  const ControlInfo* control = control_of(congestion);
  if (control == nullptr) return {};
  return CongestionControls::visit(number_of(*control), [&](auto tag) {
    const auto settings = settings_of<typename decltype(tag)::Control>(congestion);
    std::vector<std::byte> bytes(sizeof settings);
    std::memcpy(bytes.data(), &settings, sizeof settings);
    return bytes;
  });
}

}  // namespace heddle
