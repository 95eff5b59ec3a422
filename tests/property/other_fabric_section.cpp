// [[fabric]]: a second network beside the first one, with traffic of its own.
#include <array>

#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

constexpr const char* kName = "frontend";

}  // namespace

bool has_other_fabric(const Shape& shape) {
  if (shape.silent_racks) return shape.nic_ports() == 1 && Draw(shape.seed, "a controller's network").percent(60);
  return !shape.dense && !has_given_paths(shape) && !shape.detours &&
         (Draw(shape.seed, "another fabric").percent(15) || checkpoints_by_another_fabric(shape));
}

/// The other fabric has at least three hosts.
void write_control_network(const Shape& shape, TomlText& toml) {
  if (!has_other_fabric(shape)) return;
  Draw draw(shape.seed, "reports and routes");
  if (!shape.silent_racks && draw.percent(20)) return;
  toml.section("[routing.traffic_engineering.network]");
  toml.word("fabric", kName);
  const auto [server, control_port, controller] =
      draw.pick<std::array<u64, 3>>({{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {2, 1, 0}});
  toml.number("controller", controller);
  if (server != 0) toml.number("first_server", server);
  if (control_port != server + 1 || draw.percent(50)) toml.number("first_switch", control_port);
  toml.number("servers", 1);
  toml.number("switches", 1);
  toml.bytes("report_bytes", draw.between(1, 3ull * shape.mtu_bytes));
  toml.bytes("route_bytes", draw.between(1, 3ull * shape.mtu_bytes));
  toml.time_ps("solve", draw.pick<u64>({0, 1, 1'000'000, 3'333'333}));
  toml.time_ps("commit", draw.pick<u64>({1'000'000, 1'234'567, 10'000'000}));
  toml.number("periods", draw.between(1, 5));
  toml.word("class", draw.percent(50) ? "best_effort" : "lossless");
}

bool checkpoints_by_another_fabric(const Shape& shape) {
  return !shape.dense && !shape.silent_racks && !has_given_paths(shape) && !shape.detours && shape.nic_ports() == 1 &&
         shape.endpoints <= 40 && Draw(shape.seed, "training").percent(30) &&
         Draw(shape.seed, "checkpoints by another fabric").percent(20);
}

void write_other_fabric(const Shape& shape, TomlText& toml) {
  if (!has_other_fabric(shape)) return;
  Draw draw(shape.seed, "shape of another fabric");
  toml.section("[[fabric]]");
  toml.word("name", kName);
  const bool stores = checkpoints_by_another_fabric(shape);
  const u64 storage = draw.below(3) + (stores ? 1 : 0);
  toml.number("storage_hosts", storage);
  const bool star = (shape.nic_ports() == 1 && draw.percent(50)) || stores;
  toml.section("[fabric.topology]");
  toml.word("kind", star ? "star" : "two_tier");
  if (star) {
    const u64 hosts = draw.between(3, 6);
    toml.number("hosts", stores ? shape.endpoints + storage : hosts);  // a NIC for each GPU
  } else {
    const u64 spines = draw.between(1, 2);
    toml.section("[fabric.topology.two_tier]");
    toml.number("leaves", 2 * shape.leaves_per_nic);
    toml.number("gpus_per_leaf", draw.between(2, 3));
    toml.number("spines", spines);
    toml.number("uplinks_per_leaf", spines * draw.between(1, 2));
    toml.number("planes", shape.planes);
    toml.number("leaves_per_nic", shape.leaves_per_nic);
    if (draw.percent(50) || shape.host_bits_per_s <= 100'000'000'000) {  // as slow as whole_nanoseconds needs them
      toml.section("[fabric.layer.leaf_spine]");
      toml.bits_per_s("rate", shape.host_bits_per_s);
    }
    for (size_t i = 0; i < 2; ++i) {  // leaves and spines
      toml.section("[fabric.tier." + std::string(kLeafTierNames[i]) + "]");
      toml.time_ps("ingress", draw.between(10'000, 1'000'000));
      const std::string policy = shape.tier_policies[draw.below(shape.tier_policies.size())];
      if (!policy.empty()) toml.word("policy", policy);  // a run has at most four
      if (!shape.other_tier_hashes.empty()) write_tier_hash(shape.other_tier_hashes[i], toml);
    }
  }
  toml.section("[fabric.link]");
  toml.bits_per_s("host_rate", shape.host_bits_per_s);
  toml.time_ps("host_propagation", draw.pick<u64>({15'000, 100'000, 333'333}));
}

void write_other_traffic(const Shape& shape, TomlText& toml) {
  if (!has_other_fabric(shape) || shape.silent_racks) return;
  Draw draw(shape.seed, "traffic of another fabric");
  toml.section("[[generator]]");
  toml.word("fabric", kName);
  const std::string kind = draw.pick({"permutation", "all_to_all", "incast"});
  toml.word("kind", kind);
  toml.number("hosts", 3);
  if (kind == "incast") toml.number("fan_in", 2);
  toml.bytes("bytes", draw.between(1, 20ull * shape.mtu_bytes));
  toml.time_ps("start", draw.below(5'000'000));
  if (draw.percent(40)) {
    toml.section("[[message]]");
    toml.word("fabric", kName);
    toml.number("src", draw.below(2));
    toml.number("dst", 2);
    toml.bytes("bytes", draw.between(1, 20ull * shape.mtu_bytes));
  }
  if (shape.lossless_classes() == 0 || !draw.percent(30)) return;
  toml.section("[[slow_receiver]]");
  toml.word("fabric", kName);
  toml.raw("endpoints", "[" + std::to_string(draw.below(3)) + "]");
  toml.bits_per_s("drain_rate", shape.host_bits_per_s / 2);
  toml.bytes("xoff", draw.between(2, 20) * (shape.mtu_bytes + 98));
}

}  // namespace heddle::property
