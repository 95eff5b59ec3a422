// The parameters of congestion control: which one there is, and a section for each.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "kernels/base/parameter.hpp"
#include "kernels/world/congestion.hpp"

namespace heddle {

/// Instead of a control's name: there is none.
inline constexpr const char* kNoControl = "none";

/// The section of a control.
template <class Settings>
struct ControlSection {
  static constexpr const ControlInfo& kInfo = Settings::kInfo;

  std::string preset{kInfo.presets.front().name};
  bool enabled = false;                                           // this control is the one of CongestionOptions
  Settings settings = Settings::preset(preset, 400'000'000'000);  // link.host_rate

  /// Whether what it starts from depends on the NICs' line rate.
  bool scales_with_line() const {
    return std::ranges::any_of(kInfo.presets,
                               [&](const ControlPreset& p) { return p.name == preset && p.scales_with_line; });
  }
};

template <class Controls>
struct ControlSections;
template <class... Settings>
struct ControlSections<std::variant<NoControl, Settings...>> {
  using Type = std::tuple<ControlSection<Settings>...>;
  static constexpr std::array kInfos = {Settings::kInfo...};
};

/// Of all controls, in the order of ControlSettings.
inline constexpr std::array kControls = ControlSections<ControlSettings>::kInfos;

/// What a configuration says of congestion control.
struct CongestionOptions {
  std::string control = kNoControl;
  ControlSections<ControlSettings>::Type sections;

  /// For a World; whole_nanoseconds stays false.
  Congestion congestion() const;
};

/// Calls f(section) for the section of every control, in the order of kControls.
template <class Options, class F>
void for_each_control(Options& options, const F& f) {
  std::apply([&](auto&... sections) { (f(sections), ...); }, options.sections);
}

inline Congestion CongestionOptions::congestion() const {
  Congestion congestion;
  for_each_control(*this, [&](const auto& section) {
    if (section.kInfo.name == control) congestion.control = section.settings;
  });
  return congestion;
}

/// What text_of(info) says of each, behind `text`, with `separator` between them.
template <class Infos, class TextOf>
std::string joined_texts(std::string text, const Infos& infos, std::string_view separator, const TextOf& text_of) {
  for (const auto& info : infos) text.append(text.empty() ? "" : separator).append(text_of(info));
  return text;
}

inline const std::string kControlWords =
                             joined_texts(kNoControl, kControls, "|", [](const ControlInfo&c) { return c.name; }),
                         kControlHelp = joined_texts(
                             "none: all send as fast as their NICs; Meta runs 400G so", kControls, "; ",
                             [](const ControlInfo&c) { return std::string(c.name).append(": ").append(c.help); }),
                         kControlSources = joined_texts(
                             "none: Meta SIGCOMM'24", kControls, "; ",
                             [](const ControlInfo&c) { return std::string(c.name).append(": ").append(c.source); });

/// In [roce].
inline const std::array kCongestionParameters = {
    Parameter<CongestionOptions>{.key = "congestion_control",
                                 .field = &CongestionOptions::control,
                                 .choices = kControlWords,
                                 .help = kControlHelp,
                                 .source = kControlSources},
};

/// In the section of every control, before its settings.
template <class Settings>
std::span<const Parameter<ControlSection<Settings>>> control_parameters() {
  using Options = ControlSection<Settings>;
  static const std::string words = joined_texts("", Options::kInfo.presets, "|", [](const auto&p) { return p.name; }),
                           sources = joined_texts("", Options::kInfo.presets, "; ", [](const auto&p) {
                             return std::string(p.name).append(": ").append(p.source);
                           });
  static const std::array parameters = {
      Parameter<Options>{.key = "preset",
                         .field = &Options::preset,
                         .choices = words,
                         .help = "where the other parameters start from; each may be set after it",
                         .source = sources},
      Parameter<Options>{.key = "enabled",
                         .field = &Options::enabled,
                         .help = "the NICs have this control: another way to name it in roce.congestion_control",
                         .source = "Meta SIGCOMM'24: none at 400G"},
  };
  return parameters;
}

}  // namespace heddle
