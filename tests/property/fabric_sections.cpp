// [topology], [link], [latency], and the handling of packets in switches: [class.*], [ecn], [pfc], [buffer.*].
#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

void write_leaf_tree(const Shape& shape, TomlText& toml) {
  toml.section("[topology." + shape.kind + "]");
  if (shape.nic_ports() > 1) {
    toml.number("planes", shape.planes);
    toml.number("leaves_per_nic", shape.leaves_per_nic);
  }
  if (shape.radix != 0) return toml.number("radix", shape.radix);
  if (shape.kind == "fat_tree" || shape.kind == "rail_optimised") toml.number("pods", shape.zones);
  if (shape.kind == "dragonfly_plus") toml.number("groups", shape.zones);
  if (shape.rails == 0) {
    toml.number("leaves", shape.racks * shape.leaves_per_nic);
    toml.number("gpus_per_leaf", shape.gpus_per_rack);
  } else if (shape.kind == "rail_only") {
    toml.number("leaves", shape.racks);
    toml.number("servers", shape.gpus_per_rack);
    toml.number("rails", 1);
  } else {
    toml.number("units", shape.racks / shape.rails);
    toml.number("servers", shape.gpus_per_rack);
    toml.number("rails", shape.rails);
  }
  toml.number("spines", shape.ctsws);
  toml.number("uplinks_per_leaf", shape.uplinks_per_rtsw);
  if (shape.zones == 1) return;
  if (shape.kind == "dragonfly_plus") return toml.number("global_links_per_spine", shape.uplinks_per_ctsw);
  toml.number("cores", shape.atsws);
  toml.number("uplinks_per_spine", shape.uplinks_per_ctsw);
}

void write_topology(const Shape& shape, TomlText& toml) {
  toml.section("[topology]");
  toml.word("kind", shape.kind);
  if (shape.kind == "hpcc") {
    toml.file("file", ".topology.txt", topology_text(shape.graph));
    return;
  }
  if (shape.kind == "star") {
    toml.number("hosts", shape.endpoints);
    return;
  }
  if (shape.any) {
    toml.section("[topology." + shape.kind + "]");
    for (const auto& [key, number] : shape.any->dimensions) toml.number(key, static_cast<u64>(number));
    return;
  }
  if (shape.of_leaves()) return write_leaf_tree(shape, toml);
  if (shape.kind == "multi_zone") toml.number("zones", shape.zones);
  toml.number("racks", shape.racks);
  toml.number("gpus_per_rack", shape.gpus_per_rack);
  toml.number("ctsws", shape.ctsws);
  toml.number("uplinks_per_rtsw", shape.uplinks_per_rtsw);
  if (shape.kind != "multi_zone") return;
  toml.number("atsws", shape.atsws);
  toml.number("uplinks_per_ctsw", shape.uplinks_per_ctsw);
}

/// The file of an imported topology gives rates, cables and latencies.
bool is_imported(const Shape& shape) { return shape.kind == "hpcc"; }

void write_layer(std::string_view header, u64 bits_per_s, u64 propagation_ps, TomlText& toml) {
  toml.section(header);
  toml.bits_per_s("rate", bits_per_s);
  toml.time_ps("propagation", propagation_ps);
}

void write_links(const Shape& shape, TomlText& toml) {
  if (is_imported(shape)) return;
  Draw draw(shape.seed, "link");
  toml.section("[link]");
  toml.bits_per_s("host_rate", shape.host_bits_per_s);
  const bool one_rate = draw.percent(60);
  const auto rate = [&] {
    return one_rate ? shape.host_bits_per_s : draw.pick<u64>({100, 200, 400, 800}) * 1'000'000'000;
  };
  const u64 low_bits_per_s = rate(), high_bits_per_s = rate();
  toml.time_ps("host_propagation", draw.pick<u64>({15'000, 15'000, 5'000, 100'000, 12'345}));
  const u64 low_ps = draw.pick<u64>({500'000, 15'000, 15'000, 100'000, 333'333});
  const u64 high_ps = draw.pick<u64>({1'250'000, 15'000, 250'000, 777'777});
  const bool slow = one_rate && shape.host_bits_per_s <= 100'000'000'000;
  if (slow && draw.percent(50)) toml.flag("whole_nanoseconds", true);  // no packet may take less than one nanosecond
  if (Draw gap(shape.seed, "wire gap"); gap.percent(15)) toml.bytes("wire_gap", gap.pick<u64>({0, 12, 19}));
  if (shape.of_leaves()) {
    write_layer("[layer.leaf_spine]", low_bits_per_s, low_ps, toml);
    if (shape.atsws > 0) write_layer("[layer.spine_core]", high_bits_per_s, high_ps, toml);
    if (shape.kind == "dragonfly_plus" && (shape.zones > 1 || shape.any))
      write_layer("[layer.spine_spine]", high_bits_per_s, high_ps, toml);
    return;
  }
  toml.bits_per_s("rtsw_ctsw_rate", low_bits_per_s);
  toml.bits_per_s("ctsw_atsw_rate", high_bits_per_s);
  toml.time_ps("rtsw_ctsw_propagation", low_ps);
  toml.time_ps("ctsw_atsw_propagation", high_ps);
}

/// Pipelines of 10 ns and more: shorter ones would make ticks, and so runs of the engine, long.
void write_latencies(const Shape& shape, TomlText& toml) {
  if (is_imported(shape)) return;
  Draw draw(shape.seed, "latency");
  if (draw.percent(10) && !shape.dense) return;  // defaults of the configuration
  toml.section("[latency]");
  const u64 longest_ps = draw.pick<u64>({30'000, 300'000, 300'000, 1'000'000, 2'000'000});
  const u64 same_ps = shape.dense ? 2'500'000 : draw.percent(40) ? draw.between(10'000, longest_ps) : 0;
  for (const char* pipeline : {"nic_transmit", "nic_receive", "rtsw_ingress", "rtsw_egress", "ctsw_ingress",
                               "ctsw_egress", "atsw_ingress", "atsw_egress"}) {
    if (shape.of_leaves() && std::string_view(pipeline).find("tsw_") != std::string_view::npos) continue;
    toml.time_ps(pipeline, same_ps != 0 ? same_ps : draw.between(10'000, longest_ps));
  }
}

/// [tier.NAME] of a fabric of leaves, but for the memory.
void write_tiers(const Shape& shape, TomlText& toml) {
  if (!shape.of_leaves()) return;
  Draw draw(shape.seed, "tier");
  const u64 longest_ps = draw.pick<u64>({30'000, 300'000, 1'000'000});
  for (size_t i = 0; i < kLeafTierNames.size(); ++i) {
    if (kLeafTierNames[i] == "core" && shape.atsws == 0) continue;
    toml.section("[tier." + std::string(kLeafTierNames[i]) + "]");
    toml.time_ps("ingress", draw.between(10'000, longest_ps));
    toml.time_ps("egress", draw.between(10'000, longest_ps));
    if (draw.percent(30)) toml.flag("ecn", draw.percent(50));
    if (!shape.tier_policies[i].empty()) toml.word("policy", shape.tier_policies[i]);
    if (!shape.tier_hashes.empty()) write_tier_hash(shape.tier_hashes[i], toml);
  }
}

u64 limit_bytes(Draw& draw, const Shape& shape) {
  return draw.between(1, 16) * (shape.mtu_bytes + 100) + draw.below(200);
}

/// A limit for a class without PFC that shall lose nothing. Where ports own their memory a class needs a limit.
u64 ample_limit_bytes(const Shape& shape) { return shape.unlimited ? 0 : 1'000'000'000; }

void write_dynamic_limit(const Shape& shape, std::string_view name, bool droppable, TomlText& toml) {
  if (!shape.dynamic_limits || !droppable) return;
  Draw draw(shape.seed, "limit of " + std::string(name));
  if (name == "control" && draw.percent(70)) return;  // without ACKs little happens
  toml.ratio("limit_alpha", draw.pick({0.0001, 0.001, 0.03, 0.125, 1.0, 8.0}));
}

void write_classes(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "class");
  const auto transport = [&](bool tcp) {
    if (shape.has_tcp()) toml.word("transport", tcp ? "tcp" : "roce");
  };
  toml.section("[class.control]");
  toml.flag("pfc", shape.control_pfc);
  toml.flag("ecn", draw.percent(20));
  if (shape.limits && draw.percent(25)) toml.bytes("limit", draw.between(60, 2000));
  write_dynamic_limit(shape, "control", !shape.control_pfc, toml);
  transport(false);
  toml.section("[class.lossless]");
  toml.flag("pfc", shape.lossless_pfc);
  toml.flag("strict", draw.percent(15));
  toml.flag("ecn", draw.percent(85) || shape.eager_marks || (shape.tcp_marks && shape.lossless_tcp));
  toml.number("weight", draw.pick<u64>({1, 1, 2, 5}));
  if (shape.limits && (!shape.lossless_pfc || draw.percent(30))) {
    toml.bytes("limit", limit_bytes(draw, shape));
  } else if (!shape.lossless_pfc) {
    toml.bytes("limit", ample_limit_bytes(shape));
  }
  write_dynamic_limit(shape, "lossless", !shape.lossless_pfc, toml);
  transport(shape.lossless_tcp);
  toml.section("[class.best_effort]");
  toml.flag("pfc", shape.best_effort_pfc);
  toml.flag("strict", draw.percent(15));
  toml.flag("ecn", draw.percent(50) || (shape.tcp_marks && shape.best_effort_tcp));
  toml.number("weight", draw.pick<u64>({1, 1, 3, 10}));
  toml.bytes("limit", shape.limits && draw.percent(60) ? limit_bytes(draw, shape)
                      : draw.percent(50)               ? ample_limit_bytes(shape)
                                                       : 1 << 20);
  write_dynamic_limit(shape, "best_effort", !shape.best_effort_pfc, toml);
  transport(shape.best_effort_tcp);
}

void write_ecn(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "ecn");
  toml.section("[ecn]");
  toml.flag("enabled", draw.percent(80) || shape.eager_marks || shape.tcp_marks);
  const u64 packet = shape.mtu_bytes + 82, max_packets = shape.eager_marks ? 1 : 10;
  const u64 kmin = draw.percent(20) ? 0 : draw.below(max_packets * packet);
  toml.bytes("kmin", kmin);
  toml.bytes("kmax", kmin + 1 + (draw.percent(20) ? 0 : draw.below(2 * max_packets * packet)));
  toml.ratio("pmax", std::max(draw.pick({0.0, 0.01, 0.2, 0.2, 0.5, 1.0}), shape.eager_marks ? 0.2 : 0.0));
  toml.flag("scale_with_rate", draw.percent(40));
  toml.flag("at_arrival", draw.percent(40));
  if (draw.percent(20) && !shape.of_leaves())
    toml.raw("tiers", draw.pick({"[\"rtsw\"]", "[\"ctsw\"]", "[\"ctsw\", \"atsw\"]"}));
  if (draw.percent(25)) toml.bits_per_s("reference_rate", draw.pick<u64>({25, 100, 800}) * 1'000'000'000);
}

void write_pfc(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "pfc");
  toml.section("[pfc]");
  const bool standard = draw.percent(40);
  toml.flag("standard_response", standard);
  if (!standard)
    toml.time_ps("response", shape.dense ? 2'500'000 : draw.pick<u64>({20'000, 100'000, 500'000, 123'457}));
  toml.flag("allow_unsafe_headroom", !shape.safe_headroom);
  if (shape.watchdog) toml.time_ps("watchdog", draw.between(1, 8) * shape.packet_ps());
}

/// Safe buffers: computed headrooms and plenty of memory, but thresholds that are soon reached. Others hold a few
/// packets, so that headrooms overrun and pools overflow.
class Buffers {
 public:
  Buffers(const Shape& shape, Draw& draw, TomlText& toml)
      : shape_(shape), draw_(draw), toml_(toml), packet_(shape.mtu_bytes + 98) {}

  void write(const char* header, u32 ports, bool must_share) {
    toml_.section(header);
    if (draw_.percent(30)) {
      // Safe headrooms grow with the cell: a packet of a few bytes holds a whole one.
      toml_.bytes("cell", shape_.safe_headroom ? draw_.pick<u64>({254, 208, 64}) : draw_.pick<u64>({254, 1000, 5000}));
    }
    if (draw_.percent(40) && !must_share) {
      toml_.word("kind", "static");
      write_static();
    } else {
      toml_.word("kind", "shared");
      write_shared(ports);
    }
  }

 private:
  void write_static() {
    const u64 xoff = draw_.between(1, 12) * packet_ + draw_.below(packet_);
    toml_.bytes("bytes", 500'000'000);
    toml_.bytes("xoff", xoff);
    if (draw_.percent(50)) toml_.bytes("xon", draw_.between(1, xoff - 1));
    if (!shape_.safe_headroom) toml_.bytes("headroom", draw_.between(1, 30 * packet_));
  }

  void write_shared(u32 ports) {
    const u64 pools = draw_.between(1, std::min<u64>(ports, 3));
    toml_.number("pools", pools);
    if (shape_.safe_headroom) {
      toml_.bytes("bytes", 1'000'000'000);  // thresholds of 30 to 200 KB
      toml_.ratio("alpha", draw_.pick({0.0001, 0.0001, 0.0002}));
      if (draw_.percent(40)) toml_.bytes("reserve", draw_.between(0, 10 * packet_));
      return;
    }
    const u64 headroom = draw_.between(1, draw_.percent(50) ? 2 * packet_ : 20 * packet_);
    const u64 reserve = draw_.pick<u64>({0, 0, 2 * packet_, 4096});
    const u64 kept = (ports + pools - 1) / pools * (headroom + reserve) * shape_.lossless_classes();
    toml_.bytes("headroom", headroom);
    toml_.bytes("reserve", reserve);
    toml_.bytes("bytes", pools * (kept + draw_.between(1, draw_.percent(60) ? 10 * packet_ : 60 * packet_)));
    toml_.ratio("alpha", draw_.pick({0.05, 0.125, 0.5, 1.0, 4.0, 16.0, 64.0, 64.0}));
  }

  const Shape& shape_;
  Draw& draw_;
  TomlText& toml_;
  u64 packet_;
};

}  // namespace

void write_fabric(const Shape& shape, TomlText& toml) {
  write_topology(shape, toml);
  write_links(shape, toml);
  write_latencies(shape, toml);
  write_tiers(shape, toml);
  write_routing(shape, toml);
  write_classes(shape, toml);
  write_ecn(shape, toml);
  write_pfc(shape, toml);
}

void write_buffers(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "buffer");
  Buffers buffers(shape, draw, toml);
  const auto write = [&](const char* zones, const char* leaves, u32 ports, bool must_share) {
    buffers.write(shape.of_leaves() ? leaves : zones, ports, must_share);
  };
  write("[buffer.rtsw]", "[tier.leaf.buffer]", shape.rtsw_ports(), shape.dynamic_limits || shape.unlimited);
  write("[buffer.ctsw]", "[tier.spine.buffer]", shape.ctsw_ports(), shape.unlimited);
  write("[buffer.atsw]", "[tier.core.buffer]", shape.atsw_ports(), shape.unlimited);
}

}  // namespace heddle::property
