// Texts about the congestion controls, and their parameters as kernels get them.
#include "kernels/congestion/controls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "kernels/congestion/parameters.hpp"

namespace heddle {
namespace {

TEST(Controls, EachHasANameOfItsOwnAndSaysWhatItsSettingsAre) {
  std::set<std::string_view> names = {kNoControl};
  for (const ControlInfo& control : congestion_controls()) {
    EXPECT_TRUE(names.insert(control.name).second) << control.name;
    EXPECT_FALSE(control.help.empty() || control.source.empty()) << control.name;
    EXPECT_GT(control.state_bytes, 0u) << control.name;
    for (const ControlParameter& p : control.parameters) {
      EXPECT_FALSE(p.help.empty() || p.source.empty()) << control.name << "." << p.key;
      EXPECT_TRUE(p.is_flag || (static_cast<double>(p.value) >= p.min && static_cast<double>(p.value) <= p.max))
          << control.name << "." << p.key;
    }
    const auto has = [&](std::string_view key) {
      return std::ranges::any_of(control.parameters, [&](const ControlParameter& p) { return p.key == key; });
    };
    EXPECT_TRUE(!control.uses_cnps || has("cnp_gap")) << control.name << ": how often may a receiver send CNPs?";
    EXPECT_TRUE(control.least_rate.empty() || has(control.least_rate)) << control.name;
    for (const ControlPreset& preset : control.presets) {
      EXPECT_EQ(control.preset(preset.name, 400'000'000'000).size(), control.parameters.size()) << preset.name;
      EXPECT_EQ(control.preset(preset.name, 25'000'000'000) != control.preset(preset.name, 800'000'000'000),
                preset.scales_with_line)
          << control.name << " " << preset.name;
    }
  }
}

TEST(Controls, KernelsSeeTheSettingsOfTheWorld) {
  EXPECT_FALSE(control_view(Congestion{}).any());
  EXPECT_TRUE(control_settings_bytes(Congestion{}).empty());
  Congestion congestion = congestion_with("dcqcn");
  congestion.parameters["dcqcn.cnp_gap"] = 123;
  congestion.parameters["dcqcn.clamp_target"] = 1;
  congestion.parameters["dcqcn.g_1024"] = 512;
  const ControlView view = control_view(congestion);
  EXPECT_TRUE(view.any() && view.sends_cnps);
  EXPECT_EQ(view.cnp_gap_ps, 123);
  EXPECT_EQ(view.state_bytes, sizeof(DcqcnState));
  const std::vector<std::byte> bytes = control_settings_bytes(congestion);
  ASSERT_EQ(bytes.size(), sizeof(DcqcnSettings));
  const DcqcnSettings& settings = *reinterpret_cast<const DcqcnSettings*>(bytes.data());
  EXPECT_TRUE(settings.clamp_target && settings.pace_follows_rate);
  EXPECT_EQ(settings.decay_q32[0], 1u << 31);
  EXPECT_EQ(settings.alpha_period_ps, 1'000'000) << "as a configuration that is silent";
}

TEST(Controls, WhatCannotBeIsRefused) {
  EXPECT_THROW(control_view(Congestion{.control = "no_such", .parameters = {}}), std::invalid_argument);
  EXPECT_THROW(congestion_with("no_such"), std::invalid_argument);
  Congestion congestion = congestion_with("dcqcn");
  congestion.parameters["dcqcn.g_1024"] = 1024;
  EXPECT_THROW(control_view(congestion), std::invalid_argument);
  EXPECT_THROW((void)CongestionOptions{}.value("dcqcn", "no_such"), std::out_of_range);
  EXPECT_THROW((void)CongestionOptions{}.value("no_such", "g_1024"), std::out_of_range);
}

}  // namespace
}  // namespace heddle
