// [roce] and [dcqcn].
#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

void write_roce(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "roce");
  toml.section("[roce]");
  toml.bytes("mtu", shape.mtu_bytes);
  if (draw.percent(15) || shape.dense) toml.bytes("data_overhead", draw.pick<u64>({82, 64, 21}));
  if (draw.percent(15)) toml.bytes("reth", draw.pick<u64>({0, 64}));
  if (draw.percent(15)) toml.bytes("ack_wire", draw.pick<u64>({84, 500, 21}));
  if (draw.percent(15)) toml.bytes("cnp_wire", draw.pick<u64>({98, 106}));
  if (draw.percent(15)) toml.bytes("cts_wire", draw.pick<u64>({106, 1000}));
  toml.number("ack_every", draw.pick<u64>({1, 1, 2, 4, 16, 16}));
  toml.number("window_packets", draw.percent(50) ? 0 : draw.pick<u64>({1, 2, 5, 8, 30, 100}));
  if (draw.percent(30)) toml.time_ps("posting_delay", draw.pick<u64>({100'000, 1'000'000, 54'321}));
  toml.time_ps("proxy_latency", draw.pick<u64>({1'000'000, 1'000'000, 1, 100'000, 123'456}));
  if (shape.short_rto) {
    toml.time_ps("rto", draw.pick<u64>({3'000'000, 8'000'000, 15'000'000, 40'000'000}));
    toml.number("rto_tries", draw.pick<u64>({1, 7, 100, 100, 254}));
  }
  toml.flag("ack_at_drain", draw.percent(40));
  toml.flag("ack_high_priority", draw.percent(70));
  if (!draw.percent(33)) return toml.word("recovery", "go_back_n");
  toml.word("recovery", "selective_repeat");
  toml.number("reorder_window_packets", draw.pick<u64>({64, 64, 64, 128, 1024}));
  toml.number("reorder_distance_packets", draw.pick<u64>({1, 1, 2, 3, 5, 10, 30, 63}));
}

/// Periods short enough for something to happen within the run, and rates that recover within it.
void write_random_dcqcn(Draw& draw, TomlText& toml) {
  toml.number("g_1024", draw.pick<u64>({1, 4, 5, 64, 512, 1023}));
  toml.time_ps("alpha_period", draw.pick<u64>({1'000'000, 500'000, 2'000'000, 5'500'000, 1'234'567}));
  toml.time_ps("decrease_period", draw.pick<u64>({4'000'000, 1'000'000, 2'000'000, 5'000'000, 999'999}));
  toml.time_ps("increase_period", draw.pick<u64>({4'000'000, 1'500'000, 10'000'000, 30'000'000, 2'000'000}));
  toml.bytes("byte_counter", draw.percent(40) ? 0 : draw.pick<u64>({3'000, 32'767, 100'000}));
  toml.number("fast_recovery_stages", draw.below(5));
  toml.bits_per_s("rate_ai", draw.pick<u64>({5'000'000, 400'000'000, 5'000'000'000}));
  toml.bits_per_s("rate_hai", draw.pick<u64>({50'000'000, 50'000'000'000}));
  toml.bits_per_s("min_rate", draw.pick<u64>({100'000'000, 1'000'000'000, 10'000'000'000}));
  toml.time_ps("cnp_gap", draw.pick<u64>({0, 0, 300'000, 1'000'000, 4'000'000}));
  toml.flag("clamp_target", draw.percent(50));
}

void write_dcqcn(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "dcqcn");
  toml.section("[dcqcn]");
  toml.flag("enabled", shape.dcqcn);
  toml.word("preset", draw.pick({"connectx", "hpcc", "paper"}));
  if (draw.percent(65)) write_random_dcqcn(draw, toml);
  toml.flag("pace_follows_rate", draw.percent(75));
}

}  // namespace

void write_transport(const Shape& shape, TomlText& toml) {
  write_roce(shape, toml);
  write_dcqcn(shape, toml);
}

}  // namespace heddle::property
