// Texts about the congestion controls, and their parameters as kernels get them.
#include "kernels/congestion/controls.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "kernels/instantiate/instantiate.hpp"
#include "kernels/state/model.hpp"
#include "kernels/world/congestion_parameters.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

/// The keys of a control's section, each of which has its help, its source and a default in its range.
template <class Settings>
std::set<std::string_view> keys_of() {
  std::set<std::string_view> keys;
  static const Settings defaults;
  for (const Parameter<Settings>& p : Settings::parameters()) {
    EXPECT_TRUE(keys.insert(p.key).second) << p.key;
    EXPECT_FALSE(p.help.empty() || p.source.empty()) << p.key;
    p.field.visit([&](auto field) {
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(defaults.*field)>>) {
        EXPECT_GE(static_cast<double>(defaults.*field), p.min) << p.key;
        EXPECT_LE(static_cast<double>(defaults.*field), p.max) << p.key;
      }
    });
  }
  return keys;
}

TEST(Controls, EachHasANameOfItsOwnAndSaysWhatItsSettingsAre) {
  std::set<std::string_view> names = {kNoControl};
  const CongestionOptions options;
  for_each_control(options, [&]<class Settings>(const ControlSection<Settings>&) {
    const ControlInfo& control = Settings::kInfo;
    EXPECT_TRUE(names.insert(control.name).second) << control.name;
    EXPECT_FALSE(control.help.empty() || control.source.empty()) << control.name;
    const std::set<std::string_view> keys = keys_of<Settings>();
    EXPECT_TRUE(!UsesCnps<Settings> || keys.contains("cnp_gap")) << control.name;
    EXPECT_TRUE(!HasMinRate<Settings> || keys.contains("min_rate")) << control.name;
    for (const ControlPreset& preset : control.presets) {
      EXPECT_EQ(Settings::preset(preset.name, 25'000'000'000) != Settings::preset(preset.name, 800'000'000'000),
                preset.scales_with_line)
          << control.name << " " << preset.name;
    }
  });
}

World world_with(const DcqcnSettings& dcqcn) {
  World world = oracle::star(2);
  oracle::add_qp(world, 0, 1, {{1000, 0}});
  world.congestion.control = dcqcn;
  return world;
}

TEST(Controls, KernelsSeeTheSettingsOfTheWorld) {
  Model none, model;
  instantiate(oracle::star(2), {}, none);
  EXPECT_FALSE(none.view.settings.congestion.any());
  instantiate(world_with({.g_q10 = 512, .cnp_gap_ps = 123, .clamp_target = true}), {}, model);
  const ControlView& view = model.view.settings.congestion;
  EXPECT_TRUE(view.any() && view.sends_cnps);
  EXPECT_EQ(view.cnp_gap_ps, 123);
  EXPECT_EQ(view.state_bytes, sizeof(DcqcnState));
  const ControlArrays<Dcqcn>& arrays = model.view.endpoint.control.of<Dcqcn>();
  EXPECT_TRUE(arrays.settings->clamp_target && arrays.settings->pace_follows_rate);
  EXPECT_EQ(arrays.settings->decay_q32[0], 1u << 31);
  EXPECT_FALSE(arrays.state[0].started());
}

TEST(Controls, WhatCannotBeIsRefused) {
  Model model;
  EXPECT_THROW(instantiate(world_with({.g_q10 = 1024}), {}, model), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
