// What a configuration says of DCQCN (MODEL.md, 8.6).
#pragma once

#include <span>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/control_info.hpp"

namespace heddle {

/// Rates in bit/s. The initialisers are ConnectX firmware's, without its byte counter.
struct DcqcnSettings {
  u32 g_q10 = 5;
  TimePs alpha_period_ps = 1'000'000;
  TimePs decrease_period_ps = 4'000'000;
  TimePs increase_period_ps = 300'000'000;
  u64 byte_counter_bytes = 0;  // 0 = none
  u32 fast_recovery_stages = 1;
  u64 rate_ai_bps = 5'000'000;
  u64 rate_hai_bps = 50'000'000;
  u64 min_rate_bps = 1'000'000;
  TimePs cnp_gap_ps = 4'000'000;  // receiver: at least this long between two CNPs of a QP
  bool clamp_target = false;      // decrease always sets the target, not only after an increase
  bool pace_follows_rate = true;  // a wait under way gets shorter or longer with the rate

  bool operator==(const DcqcnSettings&) const = default;

  static constexpr ControlPreset kPresets[] = {
      {"connectx", "NVIDIA DOCA"}, {"hpcc", "HPCC's ns-3", true}, {"paper", "DCQCN, SIGCOMM 2015"}};
  static constexpr ControlInfo kInfo = {.name = "dcqcn",
                                        .help = "rates are cut by CNPs, and recover by time and volume",
                                        .source = "DCQCN (SIGCOMM 2015) as in ConnectX NICs",
                                        .presets = kPresets};
  static std::span<const Parameter<DcqcnSettings>> parameters();

  /// For NICs of `line_bps`. The name must be one of kPresets.
  static DcqcnSettings preset(std::string_view name, u64 line_bps) {
    DcqcnSettings s;
    if (name == "connectx") {
      // 32767 units, disputed whether of 1 or 64 B. Read as 64 B (2 MB, 42 us at 400G): 32 KB would raise the rate
      // every 0.66 us and make the 300 us timer pointless.
      s.byte_counter_bytes = 32767 * 64;
    } else if (name == "hpcc") {
      const u64 scale = line_bps / 25'000'000'000ull > 0 ? line_bps / 25'000'000'000ull : 1;
      s.g_q10 = 4;
      s.rate_ai_bps *= scale;
      s.rate_hai_bps *= scale;
      s.min_rate_bps = 1'000'000'000;
      s.cnp_gap_ps = 0;
    } else if (name == "paper") {
      s.g_q10 = 4;
      s.alpha_period_ps = 55'000'000;
      s.decrease_period_ps = 50'000'000;
      s.increase_period_ps = 55'000'000;
      s.byte_counter_bytes = 10'000'000;
      s.fast_recovery_stages = 5;
      s.rate_ai_bps = 40'000'000;
      s.rate_hai_bps = 40'000'000;  // the paper gives no value: hyper increase is not distinguished
      s.cnp_gap_ps = 50'000'000;
    }
    return s;
  }
};

/// [dcqcn], after the preset. Rates of the preset `hpcc` are already scaled to the line here.
inline constexpr Parameter<DcqcnSettings> kDcqcnParameters[] = {
    {.key = "g_1024",
     .field = &DcqcnSettings::g_q10,
     .min = 1,
     .max = 1023,
     .help = "gain of alpha in 1/1024: alpha = (1-g) alpha + g",
     .source = "DOCA 5/1024; HPCC and DCQCN 2015 1/256"},
    {.key = "alpha_period",
     .field = &DcqcnSettings::alpha_period_ps,
     .quantity = Quantity::time_ps,
     .min = 1000,
     .max = 1e12,
     .help = "between two updates of alpha",
     .source = "DOCA 1 us; HPCC 1 us; DCQCN 2015 55 us"},
    {.key = "decrease_period",
     .field = &DcqcnSettings::decrease_period_ps,
     .quantity = Quantity::time_ps,
     .min = 1000,
     .max = 1e12,
     .help = "at most one rate cut in this time",
     .source = "DOCA 4 us; HPCC 4 us; DCQCN 2015 50 us"},
    {.key = "increase_period",
     .field = &DcqcnSettings::increase_period_ps,
     .quantity = Quantity::time_ps,
     .min = 1000,
     .max = 1e13,
     .help = "of the rate increase timer",
     .source = "DOCA 300 us; HPCC 300 us; DCQCN 2015 55 us"},
    {.key = "byte_counter",
     .field = &DcqcnSettings::byte_counter_bytes,
     .quantity = Quantity::bytes,
     .max = 1e15,
     .help = "bytes between two increases by volume; 0 = none",
     .source = "DOCA 32767 (unit disputed, read as 64 B); HPCC none; DCQCN 2015 10 MB"},
    {.key = "fast_recovery_stages",
     .field = &DcqcnSettings::fast_recovery_stages,
     .max = 1000,
     .help = "increases that only go half way back to the target (F)",
     .source = "DOCA 1; HPCC 1; DCQCN 2015 5"},
    {.key = "rate_ai",
     .field = &DcqcnSettings::rate_ai_bps,
     .quantity = Quantity::bits_per_s,
     .max = 1e13,
     .help = "additive increase of the target",
     .source = "DOCA 5 Mb/s; HPCC 5 Mb/s per 25G; DCQCN 2015 40 Mb/s"},
    {.key = "rate_hai",
     .field = &DcqcnSettings::rate_hai_bps,
     .quantity = Quantity::bits_per_s,
     .max = 1e13,
     .help = "hyper increase of the target",
     .source = "DOCA 50 Mb/s; HPCC 50 Mb/s per 25G; DCQCN 2015 does without"},
    {.key = "min_rate",
     .field = &DcqcnSettings::min_rate_bps,
     .quantity = Quantity::bits_per_s,
     .min = 1,
     .max = 1e13,
     .help = "no cut goes below; at most the line rate",
     .source = "DOCA 1 Mb/s; HPCC 1 Gb/s"},
    {.key = "cnp_gap",
     .field = &DcqcnSettings::cnp_gap_ps,
     .quantity = Quantity::time_ps,
     .max = 1e12,
     .help = "receiver: least time between two CNPs of a QP; 0 = one per marked packet",
     .source = "DOCA 4 us; HPCC every ACK; DCQCN 2015 50 us"},
    {.key = "clamp_target",
     .field = &DcqcnSettings::clamp_target,
     .help = "every cut sets the target, not only the first after an increase",
     .source = "DOCA and HPCC: off"},
    {.key = "pace_follows_rate",
     .field = &DcqcnSettings::pace_follows_rate,
     .help = "the wait for a packet's pace changes with the rate while it lasts; false: it stays "
             "as the rate at the last start set it",
     .source = "engineering judgement: on; HPCC ns-3: off"},
};

inline std::span<const Parameter<DcqcnSettings>> DcqcnSettings::parameters() { return kDcqcnParameters; }

}  // namespace heddle
