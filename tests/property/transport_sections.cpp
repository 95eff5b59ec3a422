// [roce], [tcp] and the sections of congestion controls, which come from the engine's own list.
#include <algorithm>
#include <string>
#include <type_traits>

#include "kernels/world/congestion_parameters.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

void write_roce(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "roce");
  toml.section("[roce]");
  toml.bytes("mtu", shape.mtu_bytes);
  if (Draw(shape.seed, "named control").percent(30)) toml.word("congestion_control", shape.control);
  if (draw.percent(15) || shape.dense) toml.bytes("data_overhead", draw.pick<u64>({82, 64, 21}));
  if (draw.percent(15)) toml.bytes("reth", draw.pick<u64>({0, 64}));
  if (draw.percent(15)) toml.bytes("ack_wire", draw.pick<u64>({84, 500, 21}));
  if (draw.percent(15)) toml.bytes("cnp_wire", draw.pick<u64>({98, 106}));
  if (draw.percent(15)) toml.bytes("cts_wire", draw.pick<u64>({106, 1000}));
  toml.number("ack_every", draw.pick<u64>({1, 1, 2, 4, 16, 16}));
  toml.number("window_packets", draw.percent(50) ? 0 : draw.pick<u64>({1, 2, 5, 8, 30, 100}));
  if (draw.percent(30)) toml.time_ps("posting_delay", draw.pick<u64>({100'000, 1'000'000, 54'321}));
  toml.time_ps("proxy_latency", draw.pick<u64>({1'000'000, 1'000'000, 1, 100'000, 123'456}));
  Draw service(shape.seed, "proxy_service");
  if (service.percent(60)) toml.time_ps("proxy_service", service.pick<u64>({0, 500'000, 77'777, 3'000'000}));
  Draw timers(shape.seed, "timers");
  if (timers.percent(40)) toml.word("timers", timers.pick<const char*>({"nccl", "nccl_2_14", "short"}));
  if (shape.short_rto) {
    const u64 rto_ps = draw.pick<u64>({3'000'000, 8'000'000, 15'000'000, 40'000'000});
    toml.time_ps("rto", Draw(shape.seed, "no timer").percent(5) ? 0 : rto_ps);
    toml.number("rto_tries", draw.pick<u64>({1, 7, 100, 100, 254}));
  }
  toml.flag("ack_at_drain", draw.percent(40));
  toml.flag("ack_high_priority", draw.percent(70));
  if (Draw(shape.seed, "cts_high_priority").percent(25)) toml.flag("cts_high_priority", false);
  if (shape.nic_ports() > 1) toml.word("port_choice", shape.port_per_packet ? "per_packet" : "per_qp");
  if (!draw.percent(33)) return toml.word("recovery", "go_back_n");
  toml.word("recovery", "selective_repeat");
  toml.number("reorder_window_packets", draw.pick<u64>({64, 64, 64, 128, 1024}));
  toml.number("reorder_distance_packets", draw.pick<u64>({1, 1, 2, 3, 5, 10, 30, 63}));
  toml.time_ps("rto_low", Draw(shape.seed, "rto_low").pick<u64>({0, 1'000'000, 2'500'000, 6'000'000, 20'000'000}));
}

/// Timers of microseconds, and small windows, so that all of them matter within the run. An RTO is 1 ms more than the
/// round trip, so rto_max decides when it fires. Segments are at most as large as the packets that buffers are made
/// for.
void write_tcp(const Shape& shape, TomlText& toml) {
  if (!shape.has_tcp()) return;
  Draw draw(shape.seed, "settings of tcp");
  const u64 mtu = shape.mtu_bytes, rto_min_ps = draw.pick<u64>({1'000'000, 2'345'678, 5'000'000, 10'000'000});
  toml.section("[tcp]");
  const char* unmarked = Draw(shape.seed, "cubic or not").percent(50) ? "cubic" : "new_reno";
  toml.word("control", shape.tcp_marks ? "dctcp" : unmarked);
  toml.bytes("segment", draw.pick<u64>({mtu, mtu, std::max<u64>(mtu / 2, 64), std::min<u64>(mtu, 1448)}));
  toml.bytes("overhead", draw.pick<u64>({90, 90, 78, 110, 84}));
  toml.number("initial_window_segments", draw.between(1, 20));
  toml.number("window_segments", draw.pick<u64>({64, 64, 128, 256}));
  toml.number("ack_every_segments", draw.pick<u64>({1, 2, 2, 2, 3, 8}));
  toml.time_ps("ack_delay", draw.pick<u64>({1'000'000, 3'000'000, 3'333'333, 10'000'000, 30'000'000, 1'000'000'000}));
  toml.time_ps("rto_initial", draw.pick<u64>({3'000'000, 8'000'000, 20'000'000, 60'000'000, 1'000'000'000}));
  toml.time_ps("rto_min", rto_min_ps);
  toml.time_ps("rto_max", rto_min_ps * draw.pick<u64>({1, 2, 5, 20, 100, 1'000'000}));
  toml.number("retries", draw.pick<u64>({3, 4, 7, 15, 15}));
  toml.number("growth_limit_segments", draw.pick<u64>({0, 1, 2}));
  Draw bursts(shape.seed, "bursts of tcp");
  if (bursts.percent(40)) toml.number("burst_segments", bursts.pick<u64>({1, 2, 3, 8, 44}));
  if (bursts.percent(40)) toml.flag("pacing", bursts.percent(80));
  toml.word("loss_detection", Draw(shape.seed, "losses of tcp").percent(50) ? "rack" : "dup_threshold");
}

/// Draws periods short enough for something to happen within the run, and rates that recover within it. Other
/// parameters are drawn around their defaults.
template <class Settings>
u64 draw_number(const Parameter<Settings>& p, u64 default_value, Draw& draw) {
  if (p.key == "g_1024") return draw.pick<u64>({1, 4, 5, 64, 512, 1023});
  if (p.key == "alpha_period") return draw.pick<u64>({1'000'000, 500'000, 2'000'000, 5'500'000, 1'234'567});
  if (p.key == "decrease_period") return draw.pick<u64>({4'000'000, 1'000'000, 2'000'000, 5'000'000, 999'999});
  if (p.key == "increase_period") return draw.pick<u64>({4'000'000, 1'500'000, 10'000'000, 30'000'000, 2'000'000});
  if (p.key == "byte_counter") return draw.percent(40) ? 0 : draw.pick<u64>({3'000, 32'767, 100'000});
  if (p.key == "fast_recovery_stages") return draw.below(5);
  if (p.key == "rate_ai") return draw.pick<u64>({5'000'000, 400'000'000, 5'000'000'000});
  if (p.key == "rate_hai") return draw.pick<u64>({50'000'000, 50'000'000'000});
  if (p.key == "min_rate") return draw.pick<u64>({100'000'000, 1'000'000'000, 10'000'000'000});  // as the slowest line
  if (p.key == "cnp_gap") return draw.pick<u64>({0, 0, 300'000, 1'000'000, 4'000'000});
  const double value = static_cast<double>(default_value) * draw.pick<double>({0.1, 0.5, 1, 1, 2, 10});
  return static_cast<u64>(std::clamp(value, p.min, p.max));
}

template <class Settings>
void write_number(const Parameter<Settings>& p, u64 default_value, Draw& draw, TomlText& toml) {
  const u64 value = draw_number(p, default_value, draw);
  if (p.quantity == Quantity::time_ps) {
    toml.time_ps(p.key, value);
  } else if (p.quantity == Quantity::bytes) {
    toml.bytes(p.key, value);
  } else if (p.quantity == Quantity::bits_per_s) {
    toml.bits_per_s(p.key, value);
  } else {
    toml.number(p.key, value);
  }
}

template <class Settings>
void write_setting(const Parameter<Settings>& p, Draw& draw, TomlText& toml) {
  const auto write = [&]<class Field>(Field Settings::*field) {
    if constexpr (std::is_same_v<Field, bool>) {
      toml.flag(p.key, draw.percent(p.key == "pace_follows_rate" ? 75 : 50));
    } else if constexpr (std::is_integral_v<Field>) {
      write_number(p, static_cast<u64>(Settings{}.*field), draw, toml);
    }
  };
  p.field.visit(write);
}

/// Writes the section of this world's control, or of another one, which then has no effect.
template <class Settings>
void write_control(const Shape& shape, TomlText& toml) {
  const ControlInfo& control = Settings::kInfo;
  Draw draw(shape.seed, control.name);
  toml.section("[" + std::string(control.name) + "]");
  toml.flag("enabled", shape.control == control.name);
  toml.word("preset", control.presets[draw.below(control.presets.size())].name);
  const bool all = draw.percent(65);
  for (const Parameter<Settings>& p : Settings::parameters()) {
    if (all || p.key == "pace_follows_rate") write_setting(p, draw, toml);
  }
}

}  // namespace

void write_transport(const Shape& shape, TomlText& toml) {
  write_roce(shape, toml);
  write_tcp(shape, toml);
  const CongestionOptions options;
  for_each_control(options,
                   [&]<class Settings>(const ControlSection<Settings>&) { write_control<Settings>(shape, toml); });
}

}  // namespace heddle::property
