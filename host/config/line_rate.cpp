#include "host/config/line_rate.hpp"
#include "host/config/config.hpp"

#include <algorithm>

#include "host/config/input_files.hpp"

namespace heddle {

u64 nic_line_rate_bps(const Config& config) {
  // only some presets need to know, and only an imported fabric has to be read for it
  bool matters = false;
  for_each_control(config.congestion, [&](const auto& control) { matters = matters || control.scales_with_line(); });
  const std::optional<PlainServers> imported = matters ? read_imported_file(config) : std::nullopt;
  if (!imported) return config.fabric.link.host_bits_per_s;
  const PlainTopology& plain = imported->network;
  std::vector<bool> is_switch(plain.nodes, false);
  for (const u32 s : plain.switches) is_switch[s] = true;
  u64 fastest_bps = 0;
  for (const PlainLink& link : plain.links) {
    if (!is_switch[link.a] || !is_switch[link.b]) fastest_bps = std::max(fastest_bps, link.bits_per_s);
  }
  return fastest_bps > 0 ? fastest_bps : config.fabric.link.host_bits_per_s;
}

}  // namespace heddle
