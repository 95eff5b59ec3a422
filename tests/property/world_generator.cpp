#include "tests/property/world_generator.hpp"

#include <algorithm>

#include "kernels/world/congestion_parameters.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

/// Ports of NICs: to planes, to several leaves of one, or both.
void draw_ports(Shape& shape) {
  Draw draw(shape.seed, "ports of NICs");
  if (draw.percent(30)) shape.kind = "two_tier", shape.rails = 0;
  if (draw.percent(10)) shape.kind = "rail_only", shape.rails = 1;  // of more, most pairs cannot talk
  if (draw.percent(35)) return;
  shape.planes = draw.pick<u32>({1, 2, 2, 3, 8});
  shape.leaves_per_nic = shape.planes == 1 ? draw.pick<u32>({2, 3}) : shape.planes > 3 ? 1 : draw.pick<u32>({1, 1, 2});
  shape.port_per_packet = draw.percent(40);
}

void draw_leaf_tree(Shape& shape) {
  Draw draw(shape.seed, "dimensions of a leaf tree");
  shape.kind = draw.pick({"fat_tree", "rail_optimised"});
  if (shape.kind == "rail_optimised") shape.rails = draw.pick<u32>({1, 2, 2});
  if (shape.kind == "fat_tree" && Draw(shape.seed, "dragonfly").percent(25)) shape.kind = "dragonfly_plus";
  draw_ports(shape);
  if (shape.kind == "fat_tree" && draw.percent(20)) {
    shape.radix = 4;
    shape.zones = shape.atsws = 4;
    shape.racks = shape.gpus_per_rack = shape.ctsws = shape.uplinks_per_rtsw = shape.uplinks_per_ctsw = 2;
    if (shape.leaves_per_nic == 2) shape.racks = 1;  // of two leaves
    if (shape.leaves_per_nic == 3) shape.leaves_per_nic = 1;
  } else {
    shape.zones = shape.kind == "two_tier" || shape.kind == "rail_only" ? 1 : static_cast<u32>(draw.between(1, 3));
    shape.racks = static_cast<u32>(draw.between(1, 2)) * std::max(shape.rails, 1u);
    if (shape.kind == "rail_only") shape.racks = 2;  // one has no spines
    shape.gpus_per_rack = static_cast<u32>(draw.between(2, 4));
    shape.ctsws = static_cast<u32>(draw.between(1, 3));
    shape.uplinks_per_rtsw = shape.ctsws * static_cast<u32>(draw.between(1, 2));
    shape.uplinks_per_ctsw = static_cast<u32>(draw.between(1, 2));
    const u32 uplinks = shape.ctsws * shape.uplinks_per_ctsw;
    shape.atsws = draw.percent(50) || uplinks % 2 != 0 ? uplinks : uplinks / 2;
    if (shape.kind == "dragonfly_plus") {
      shape.atsws = 0;
      if (uplinks % 2 != 0) shape.uplinks_per_ctsw = 2;  // of three groups
    }
    if (shape.zones == 1) shape.atsws = shape.uplinks_per_ctsw = 0;
  }
  shape.endpoints = shape.zones * shape.racks * shape.gpus_per_rack;
  draw_tier_policies(shape);
  if (shape.atsws == 0) shape.tier_policies.back().clear();  // of cores
}

/// Its leaves are the racks.
void draw_from_registry(Shape& shape) {
  Draw detours(shape.seed, "detours");
  shape.any = draw_any_topology(shape.seed, detours.percent(35));
  shape.kind = shape.any->kind;
  shape.endpoints = shape.any->graph.endpoints;
  shape.racks = shape.any->count(kLeaf);
  shape.gpus_per_rack = 1;
  shape.atsws = shape.any->count(kCore);
  shape.rails = shape.any->graph.nics_per_server;
  shape.detours = shape.any->can_detour() && detours.percent(80);
  draw_tier_policies(shape);
  if (shape.atsws == 0) shape.tier_policies.back().clear();
}

void draw_topology(Shape& shape) {
  Draw draw(shape.seed, "topology");
  if (shape.dense) {
    shape.kind = "star";
    shape.endpoints = shape.gpus_per_rack = static_cast<u32>(draw.between(12, 20));
    return;
  }
  shape.kind = draw.pick({"star", "star", "ai_zone", "ai_zone", "multi_zone", "hpcc"});
  if (shape.kind == "hpcc") {
    shape.graph = draw_graph(shape.seed, shape.host_bits_per_s);
    shape.endpoints = static_cast<u32>(shape.graph.hosts.size());
    return;
  }
  if (shape.kind == "star" && Draw(shape.seed, "from the registry").percent(40)) return draw_from_registry(shape);
  if (shape.kind == "star") {
    shape.endpoints = static_cast<u32>(draw.percent(80) ? draw.between(2, 9) : draw.between(10, 24));
    shape.gpus_per_rack = shape.endpoints;
    return;
  }
  if (shape.kind == "multi_zone" && Draw(shape.seed, "leaf tree").percent(50)) return draw_leaf_tree(shape);
  const bool several = shape.kind == "multi_zone";
  shape.zones = several ? static_cast<u32>(draw.between(2, 3)) : 1;
  shape.racks = static_cast<u32>(draw.between(1, several ? 2 : 4));
  shape.gpus_per_rack = static_cast<u32>(draw.between(1, 6));
  if (shape.zones * shape.racks * shape.gpus_per_rack < 2) shape.gpus_per_rack = 2;
  if (Draw(shape.seed, "large racks").percent(10)) {  // each a tick group of its own (kernels/backends/tick_groups.hpp)
    shape.gpus_per_rack = 32;
    if (several) shape.zones = 2, shape.racks = 1;
    if (!several) shape.racks = std::clamp(shape.racks, 2u, 3u);
  }
  shape.endpoints = shape.zones * shape.racks * shape.gpus_per_rack;
  shape.ctsws = static_cast<u32>(draw.between(1, 3));
  shape.uplinks_per_rtsw = shape.ctsws + static_cast<u32>(draw.percent(50) ? 0 : draw.between(1, 4));
  if (!several) return;
  shape.atsws = static_cast<u32>(draw.between(1, 3));
  shape.uplinks_per_ctsw = static_cast<u32>(draw.between(1, 4));
}

/// Returns one of the engine's controls; where queues are marked early, one that reacts to marks.
std::string draw_control(const Shape& shape) {
  Draw draw(shape.seed, "congestion control");
  std::vector<std::string> names;
  const CongestionOptions options;
  for_each_control(options, [&]<class Settings>(const ControlSection<Settings>&) {
    if (!shape.eager_marks || UsesCnps<Settings>) names.emplace_back(Settings::kInfo.name);
  });
  return names[draw.below(names.size())];
}

void draw_risks(Shape& shape) {
  Draw draw(shape.seed, "risks");
  shape.lossless_pfc = draw.percent(75);
  shape.best_effort_pfc = draw.percent(15);
  shape.control_pfc = draw.percent(4);
  shape.safe_headroom = draw.percent(50);
  shape.limits = draw.percent(45);
  shape.short_rto = draw.percent(50) || shape.limits;
  bool controlled = draw.percent(45);
  shape.dynamic_limits = !shape.best_effort_pfc && draw.percent(25);
  shape.watchdog = draw.percent(12);
  shape.unlimited = draw.percent(40);
  shape.failing = !shape.dense && Draw(shape.seed, "failing").percent(20);
  shape.short_rto = shape.short_rto || shape.dynamic_limits || shape.watchdog || shape.failing;
  // windows keep the queues of all-to-alls short, so that a congestion control would seldom act in their closed form
  Draw marks(shape.seed, "eager marks");
  shape.eager_marks = TrafficDraws(shape.seed, shape.dense).own_gpus && marks.percent(60);
  controlled = controlled || shape.eager_marks;
  if (controlled) shape.control = draw_control(shape);
  const bool small_racks = shape.ctsws > 0 && shape.zones * shape.racks > 1 && shape.gpus_per_rack <= 6 &&
                           shape.rails < 2 && shape.nic_ports() == 1;
  shape.silent_racks = small_racks && !shape.eager_marks && Draw(shape.seed, "silent racks").percent(6);
}

/// Collectives, which travel in class lossless, need RoCE there.
void draw_tcp(Shape& shape) {
  Draw draw(shape.seed, "tcp");
  if (shape.dense || !draw.percent(17)) return;
  const bool jobs = shape.silent_racks || TrafficDraws(shape.seed, shape.dense).collectives;
  shape.lossless_tcp = !jobs && draw.percent(40);
  shape.best_effort_tcp = !shape.lossless_tcp || draw.percent(70);
  shape.tcp_marks = draw.percent(50);
}

/// Tick 0 is the largest possible; the tests take smaller ones by themselves.
void write_simulation(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "simulation");
  toml.section("[simulation]");
  toml.number("seed", draw.between(1, 1'000'000'000));
  const u64 slot_ps = u64{1} << (draw.percent(60) ? 15 : draw.between(12, 18));
  toml.time_ps("slot", slot_ps);
  toml.time_ps("epoch", shape.dense ? u64{1} << 21 : slot_ps * (draw.percent(50) ? 16 : draw.between(1, 24)));
  const u64 longest_ps = shape.longest_ps();
  if (draw.percent(25)) {
    toml.time_ps("horizon", draw.between(1, longest_ps));
  } else if (!shape.clean()) {
    toml.time_ps("horizon", longest_ps);
  }
  // Not before the horizon: a detected deadlock ends the engine's run, and the oracle does not detect any.
  Draw stuck(shape.seed, "stuck_after");
  if (stuck.percent(30)) toml.time_ps("stuck_after", longest_ps * stuck.between(1, 3));
}

}  // namespace

Shape draw_shape(u64 seed) {
  Shape shape;
  shape.seed = seed;
  Draw draw(seed, "shape");
  shape.host_bits_per_s =
      draw.pick<u64>({400, 400, 400, 400, 200, 100, 800, 40}) * 1'000'000'000 + (draw.percent(10) ? 123'456'789 : 0);
  shape.mtu_bytes = draw.pick<u32>({4096, 4096, 4096, 2048, 1024, 1024, 512, 256, 1000});
  shape.packets = draw.pick<u32>({50, 300, 300, 1000, 1000, 2000, 4000});
  shape.dense = draw.percent(4);
  if (shape.dense) {
    shape.host_bits_per_s = 800'000'000'000;
    shape.mtu_bytes = 64;
    shape.packets = 24'000;
  }
  draw_topology(shape);
  draw_tier_hashes(shape);
  draw_risks(shape);
  draw_tcp(shape);
  return shape;
}

RandomWorld random_world(u64 seed) {
  const Shape shape = draw_shape(seed);
  const std::string stem = "seed_" + std::to_string(seed);
  TomlText toml(stem);
  write_simulation(shape, toml);
  write_fabric(shape, toml);
  write_other_fabric(shape, toml);
  write_buffers(shape, toml);
  write_transport(shape, toml);
  write_workload(shape, toml);
  write_other_traffic(shape, toml);
  if (shape.failing) write_failures(shape, toml);
  RandomWorld world{seed,
                    stem + ".toml",
                    toml.text(),
                    toml.files(),
                    Draw(seed, "twisted").percent(30),
                    shape.failing && Draw(seed, "near_event or not").percent(50),
                    Draw(seed, "near_end").percent(50),
                    static_cast<TimePs>(shape.longest_ps())};
  return world;
}

}  // namespace heddle::property
