#include "host/scenario/workload/slow_receivers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/topology/buffers.hpp"
#include "host/scenario/topology/headroom.hpp"
#include "host/scenario/workload/hosts.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

constexpr u64 kXonBelowXoffBytes = 3072;

/// Whether a NIC drains faster than its ports bring bytes. Both are compared as stored, rounded to nearest: the drain
/// may be half a unit slower, so that the exact sum of the ports is never refused.
bool is_faster(u64 drain_bits_per_s, u32 line_ps_per_byte_q16, u32 ports) {
  return (2 * u64{ps_per_byte_q16_of(drain_bits_per_s)} + 1) * ports < 2 * u64{line_ps_per_byte_q16};
}

void add_one(EndpointId e, const SlowReceiverOptions& o, u32 index, World& world) {
  Fabric& fabric = world.fabric;
  const LinkId down = fabric.links[fabric.nodes[e].first_link].reverse;
  const u32 line_ps_per_byte_q16 = speed_of(fabric.links[down].ps_per_byte_q16);
  const u64 most_bits_per_s = bits_per_s_of(line_ps_per_byte_q16) * fabric.nic_ports;
  if (o.drain_bits_per_s == 0 || is_faster(o.drain_bits_per_s, line_ps_per_byte_q16, fabric.nic_ports)) {
    throw ConfigError(
        fmt::format("slow_receiver[{}].drain_rate: {} bit/s, but {}'s line has {}; a slow receiver drains "
                    "at most at its line rate",
                    index, o.drain_bits_per_s, fabric.names[e], most_bits_per_s));
  }
  const u64 xon =
      o.xon_bytes != 0 ? o.xon_bytes : (o.xoff_bytes > kXonBelowXoffBytes ? o.xoff_bytes - kXonBelowXoffBytes : 0);
  if (xon >= o.xoff_bytes || o.xoff_bytes > 0xffffffffull) {
    throw ConfigError(fmt::format("slow_receiver[{}]: xon of {} B is not below xoff of {} B (at most 4 GiB)", index,
                                  xon, o.xoff_bytes));
  }
  IngressProfile profile;
  profile.xoff_bytes = static_cast<u32>(o.xoff_bytes);
  profile.xon_bytes = static_cast<u32>(xon);
  profile.headroom_bytes = static_cast<u32>(headroom_bytes(down, fabric, world.clocks));
  const u32 of_port = ingress_profile_index(profile, fabric);
  for (u32 p = 0; p < fabric.nic_ports; ++p)
    fabric.links[fabric.links[fabric.nodes[e].first_link + p].reverse].ingress = of_port;
  world.traffic.slow_receivers.push_back({e, ps_per_byte_q16_of(o.drain_bits_per_s)});
}

}  // namespace

void add_slow_receivers(std::span<const SlowReceiverOptions> options, World& world) {
  if (options.empty()) return;
  const auto& classes = world.fabric.classes;
  if (std::none_of(classes.begin(), classes.end(), [](const TrafficClass& c) { return c.pfc; })) {
    throw ConfigError(
        "slow_receiver: no traffic class has pfc, so a slow NIC could not pause its switch; set "
        "class.lossless.pfc = true");
  }
  for (u32 i = 0; i < options.size(); ++i) {
    if (options[i].endpoints.empty()) throw ConfigError(fmt::format("slow_receiver[{}]: endpoints is empty", i));
    const std::string where = fmt::format("slow_receiver[{}]", i);
    const Hosts hosts = hosts_of_fabric(world.fabric, options[i].fabric, where);
    for (u64 host : options[i].endpoints) add_one(endpoint_at(hosts, host, where + ".endpoints"), options[i], i, world);
  }
  auto& slow = world.traffic.slow_receivers;
  std::sort(slow.begin(), slow.end(), [](const auto& a, const auto& b) { return a.endpoint < b.endpoint; });
  for (u64 i = 1; i < slow.size(); ++i) {
    if (slow[i].endpoint != slow[i - 1].endpoint) continue;
    throw ConfigError(fmt::format("slow_receiver: endpoint {} is given twice; keep one", slow[i].endpoint));
  }
}

}  // namespace heddle
