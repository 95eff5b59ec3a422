// [failures] and [[failure]]: cables and switches that fail, degrade and flap, and random failures of cables.
#include <string>
#include <utility>

#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

std::string numbered(const std::string& word, u64 number) { return word + std::to_string(number); }

/// Draws two neighbours.
std::pair<std::string, std::string> draw_cable(Draw& draw, const Shape& shape) {
  if (shape.any) {
    const Cable& cable = shape.any->graph.cables[draw.below(shape.any->graph.cables.size())];
    return {shape.any->name(cable.a), shape.any->name(cable.b)};
  }
  const u64 gpu = draw.below(shape.endpoints);
  if (shape.kind == "star") return {numbered("gpu", gpu), "switch0"};
  const u64 rtsw = shape.rack_of(gpu), zone = rtsw / shape.racks;
  const u64 plane = shape.planes == 1 ? 0 : draw.below(shape.planes);
  const u64 leaf = shape.leaves_per_nic == 1 ? 0 : draw.below(shape.leaves_per_nic);
  const std::string rack_switch = shape.rack_switch(rtsw, plane, leaf);
  if (draw.percent(shape.nic_ports() == 1 ? 25 : 60)) return {numbered("gpu", gpu), rack_switch};
  const u64 ctsw = zone * shape.ctsws + draw.below(shape.ctsws);
  return {shape.spine(ctsw, plane), rack_switch};
}

std::string draw_node(Draw& draw, const Shape& shape) {
  if (shape.any) return shape.any->name(static_cast<NodeId>(draw.below(shape.any->graph.nodes.size())));
  if (shape.kind == "star") return numbered("gpu", draw.below(shape.endpoints));
  const u64 plane = shape.planes == 1 ? 0 : draw.below(shape.planes);
  if (shape.atsws > 0 && draw.percent(40)) return shape.top_switch(draw.below(shape.atsws), plane);
  if (draw.percent(60)) return shape.spine(draw.below(u64{shape.zones} * shape.ctsws), plane);
  return draw.percent(50) ? shape.rack_switch(draw.below(u64{shape.zones} * shape.racks), plane)
                          : numbered("gpu", draw.below(shape.endpoints));
}

void write_failure(Draw& draw, const Shape& shape, TomlText& toml) {
  toml.section("[[failure]]");
  if (draw.percent(70)) {
    const auto [a, b] = draw_cable(draw, shape);
    toml.raw("link", "[" + TomlText::quoted(a) + ", " + TomlText::quoted(b) + "]");
    if (draw.percent(50)) toml.number("cable", 1);
  } else {
    toml.word("node", draw_node(draw, shape));
  }
  const u64 kind = draw.below(10);
  if (kind < 2) {
    toml.word("kind", "rate");
    toml.bits_per_s("rate", draw.pick<u64>({10'000, 25'000, 39'000, 200}) * 1'000'000);
  } else if (kind < 4) {
    toml.word("kind", "bit_errors");
    toml.raw("bit_error_rate", draw.pick<const char*>({"1e-6", "1e-5", "1e-4", "1e-3"}));
  } else if (draw.percent(50)) {
    toml.word("kind", kind == 9 ? "none" : "down");
  }
  const u64 at_ps = draw.percent(10) ? 0 : draw.below(shape.longest_ps() / 2);
  toml.time_ps("at", at_ps);
  if (draw.percent(10)) return;  // for ever
  const u64 lasts_ps = 1 + draw.below(draw.percent(50) ? 10 * shape.packet_ps() : shape.longest_ps() / 4);
  toml.time_ps("until", at_ps + lasts_ps);
  if (draw.percent(70)) return;
  toml.number("times", draw.between(2, 6));
  toml.time_ps("period", lasts_ps + 1 + draw.below(4 * lasts_ps));
}

}  // namespace

void write_failures(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "failures");
  toml.section("[failures]");
  const u64 detect_ps = draw.below(shape.longest_ps() / 10);
  toml.time_ps("detect", detect_ps);
  toml.time_ps("converge", detect_ps + draw.below(shape.longest_ps() / 5));
  if (draw.percent(10)) toml.raw("dead_fraction", draw.pick<const char*>({"0.05", "0.2", "0.6"}));
  if (shape.kind == "hpcc" || draw.percent(25)) {  // nodes of imported graphs have names of their own
    toml.raw("mtbf_hours", draw.pick<const char*>({"1e-8", "3e-8", "1e-7"}));  // 36, 108, 360 us
    toml.time_ps("mttr", 1 + shape.longest_ps() / 10);
    toml.word("cables", draw.pick<const char*>({"switches", "nics", "all"}));
    toml.number("seed", draw.between(1, 1000));
    toml.time_ps("until", shape.longest_ps());
  }
  if (shape.kind == "hpcc") return;
  for (u64 n = draw.between(1, 4); n > 0; --n) write_failure(draw, shape, toml);
}

}  // namespace heddle::property
