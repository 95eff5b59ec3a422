#include "host/scenario/topology/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "host/scenario/topology/assemble.hpp"
#include "host/scenario/topology/headroom.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// HPCC's distance between pausing and resuming.
constexpr u64 kXonBelowXoffBytes = 3072;

u64 lossless_classes(const Fabric& fabric) {
  u64 n = 0;
  for (const TrafficClass& c : fabric.classes) n += c.pfc ? 1 : 0;
  return n;
}

u32 fit_u32(u64 bytes, const std::string& what) {
  if (bytes > 0xffffffffull) {
    throw ConfigError(fmt::format("{}: {} B do not fit into 32 bits; give less than 4 GiB", what, bytes));
  }
  return static_cast<u32>(bytes);
}

/// The buffers of one switch.
class SwitchBuffers {
 public:
  SwitchBuffers(NodeId node, const FabricOptions& options, World& world)
      : node_(node),
        fabric_(world.fabric),
        clocks_(world.clocks),
        tier_(tier_of(fabric_, node)),
        options_(buffer_options_of(tier_, options)),
        classes_(lossless_classes(fabric_)) {}

  void add() {
    if (options_.kind == "shared") {
      add_shared();
    } else if (options_.kind == "static") {
      add_static();
    } else {
      throw ConfigError(
          fmt::format("{}.kind: \"{}\" is neither shared nor static", tier_.memory_section, options_.kind));
    }
  }

 private:
  LinkId ingress_link(u32 port) const { return fabric_.links[fabric_.nodes[node_].first_link + port].reverse; }
  std::string where(const char* key) const {
    return fmt::format("{}.{} ({})", tier_.memory_section, key, fabric_.names[node_]);
  }

  void add_shared() {
    const u32 alpha_q16 = static_cast<u32>(std::lround(options_.alpha * 65536.0));
    if (alpha_q16 == 0) throw ConfigError(where("alpha") + ": rounds to 0 / 65536; give more");
    if (options_.pools == 0) throw ConfigError(where("pools") + ": a shared buffer has at least 1 pool");
    const u32 ports = fabric_.nodes[node_].ports;
    const u32 first_pool = static_cast<u32>(fabric_.pools.size());
    for (u32 i = 0; i < options_.pools; ++i) {
      fabric_.pools.push_back({.node = node_, .shared_bytes = 0, .limit_bytes = options_.bytes / options_.pools});
    }
    // Headrooms depend on the pool and on alpha, so these are set first.
    const u32 reserve = fit_u32(options_.reserve_bytes, where("reserve"));
    const u32 draft =
        ingress_profile_index({.dynamic = true, .alpha_q16 = alpha_q16, .reserve_bytes = reserve}, fabric_);
    for (u32 port = 0; port < ports; ++port) {
      Link& in = fabric_.links[ingress_link(port)];
      // Alternating, so that up and down links load the parts alike whatever the direction of an incast.
      in.pool = first_pool + port % options_.pools;
      in.ingress = draft;
    }
    std::vector<u32> needed(ports);
    for (u32 port = 0; port < ports; ++port) needed[port] = headroom_of(ingress_link(port));
    std::vector<u64> kept(options_.pools, 0);
    for (u32 port = 0; port < ports; ++port) {
      kept[port % options_.pools] += (static_cast<u64>(needed[port]) + reserve) * classes_;
      fabric_.links[ingress_link(port)].ingress = ingress_profile_index(
          {.dynamic = true, .headroom_bytes = needed[port], .alpha_q16 = alpha_q16, .reserve_bytes = reserve}, fabric_);
    }
    for (u32 i = 0; i < options_.pools; ++i) share_pool(first_pool + i, kept[i]);
  }

  void share_pool(u32 index, u64 kept_bytes) {
    Pool& pool = fabric_.pools[index];
    if (kept_bytes >= pool.limit_bytes) {
      throw ConfigError(
          fmt::format("{}: {} B of each of {} pools are less than the {} B of headroom and reserve that "
                      "its ports need, so nothing is left to share; give more memory, fewer ports, "
                      "shorter cables or slower links",
                      where("bytes"), pool.limit_bytes, options_.pools, kept_bytes));
    }
    pool.shared_bytes = pool.limit_bytes - kept_bytes;
  }

  void add_static() {
    if (classes_ == 0) return;  // each egress port owns its memory: nothing is shared, no PAUSE is sent
    for (u32 port = 0; port < fabric_.nodes[node_].ports; ++port) {
      const LinkId link = ingress_link(port);
      IngressProfile profile;
      profile.headroom_bytes = headroom_of(link);
      profile.xoff_bytes = static_xoff_bytes(link, profile.headroom_bytes);
      profile.xon_bytes = static_xon_bytes(profile.xoff_bytes);
      fabric_.links[link].ingress = ingress_profile_index(profile, fabric_);
    }
  }

  u32 static_xoff_bytes(LinkId link, u64 headroom) const {
    if (options_.xoff_bytes > 0) return fit_u32(options_.xoff_bytes, where("xoff"));
    const u64 share = options_.bytes / classes_;
    if (share <= headroom) {
      throw ConfigError(
          fmt::format("{}: {} B of a port are not more than the headroom of {} B that {} needs, so it "
                      "would always pause; give more",
                      where("bytes"), share, headroom, describe_link(fabric_, link)));
    }
    return fit_u32(share - headroom, where("bytes"));
  }

  u32 static_xon_bytes(u64 xoff) const {
    if (options_.xon_bytes == 0) return static_cast<u32>(xoff > kXonBelowXoffBytes ? xoff - kXonBelowXoffBytes : 0);
    if (options_.xon_bytes >= xoff) {
      throw ConfigError(
          fmt::format("{}: XON of {} B is not below XOFF of {} B, so a pause could never end in order; "
                      "give less",
                      where("xon"), options_.xon_bytes, xoff));
    }
    return fit_u32(options_.xon_bytes, where("xon"));
  }

  u32 headroom_of(LinkId link) const {
    if (options_.headroom_bytes > 0) return fit_u32(options_.headroom_bytes, where("headroom"));
    return fit_u32(headroom_bytes(link, fabric_, clocks_), where("headroom"));
  }

  NodeId node_;
  Fabric& fabric_;
  const Clocks& clocks_;
  const TierInfo& tier_;
  const BufferOptions& options_;
  u64 classes_;
};

/// Removes profiles that no link uses, keeping the order of the rest.
void drop_unused_profiles(Fabric& fabric) {
  std::vector<u32> moved(fabric.ingress.size(), kNone);
  for (const Link& link : fabric.links) {
    if (link.ingress != kNone) moved[link.ingress] = 0;
  }
  std::vector<IngressProfile> used;
  for (u32 i = 0; i < moved.size(); ++i) {
    if (moved[i] == kNone) continue;
    moved[i] = static_cast<u32>(used.size());
    used.push_back(fabric.ingress[i]);
  }
  fabric.ingress = std::move(used);
  for (Link& link : fabric.links) {
    if (link.ingress != kNone) link.ingress = moved[link.ingress];
  }
}

bool same(const IngressProfile& a, const IngressProfile& b) {
  return a.dynamic == b.dynamic && a.xoff_bytes == b.xoff_bytes && a.xon_bytes == b.xon_bytes &&
         a.headroom_bytes == b.headroom_bytes && a.alpha_q16 == b.alpha_q16 && a.reserve_bytes == b.reserve_bytes;
}

u32 ecn_profile_index(const EcnProfile& profile, Fabric& fabric) {
  for (u32 i = 0; i < fabric.ecn.size(); ++i) {
    const EcnProfile& e = fabric.ecn[i];
    if (e.kmin_bytes == profile.kmin_bytes && e.kmax_bytes == profile.kmax_bytes && e.pmax_q32 == profile.pmax_q32) {
      return i;
    }
  }
  fabric.ecn.push_back(profile);
  return static_cast<u32>(fabric.ecn.size() - 1);
}

u64 scaled_bytes(u64 bytes, u64 bits_per_s, const EcnOptions& options) {
  if (!options.scale_with_rate) return bytes;
  return static_cast<u64>(static_cast<unsigned __int128>(bytes) * bits_per_s / options.reference_bits_per_s);
}

EcnProfile marking_at(u64 bits_per_s, const EcnOptions& options) {
  const double pmax_q32 = options.pmax * 4294967296.0 + 0.5;
  return {.kmin_bytes = fit_u32(scaled_bytes(options.kmin_bytes, bits_per_s, options), "ecn.kmin at a port's rate"),
          .kmax_bytes = fit_u32(scaled_bytes(options.kmax_bytes, bits_per_s, options), "ecn.kmax at a port's rate"),
          .pmax_q32 = pmax_q32 >= 4294967295.0 ? 0xffffffffu : static_cast<u32>(pmax_q32)};
}

}  // namespace

const BufferOptions& buffer_options_of(const TierInfo& tier, const FabricOptions& options) {
  if (const TierOptions* own = options.leaves.find(own_name(tier))) return own->buffer;
  if (own_name(tier) == "rtsw") return options.rtsw_buffer;
  return own_name(tier) == "ctsw" ? options.ctsw_buffer : options.atsw_buffer;
}

u32 ingress_profile_index(const IngressProfile& profile, Fabric& fabric) {
  for (u32 i = 0; i < fabric.ingress.size(); ++i) {
    if (same(fabric.ingress[i], profile)) return i;
  }
  fabric.ingress.push_back(profile);
  return static_cast<u32>(fabric.ingress.size() - 1);
}

void add_buffers(const FabricOptions& options, World& world) {
  Fabric& fabric = world.fabric;
  for (NodeId node = fabric.endpoints; node < fabric.nodes.size(); ++node)
    fabric.nodes[node].cell_bytes = buffer_options_of(tier_of(fabric, node), options).cell_bytes;
  const bool dynamic_limits = std::any_of(fabric.classes.begin(), fabric.classes.end(),
                                          [](const TrafficClass& c) { return c.limit_alpha_q16 != 0; });
  if (lossless_classes(fabric) == 0 && !dynamic_limits) return;  // no PAUSE is sent: no accounts, no pools
  for (NodeId node = fabric.endpoints; node < fabric.nodes.size(); ++node) SwitchBuffers(node, options, world).add();
  drop_unused_profiles(fabric);
}

void add_marking(const FabricOptions& of_fabric, Fabric& fabric) {
  const EcnOptions& options = of_fabric.ecn;
  fabric.ecn_at_arrival = options.at_arrival;
  if (!options.enabled) return;
  if (options.kmin_bytes > options.kmax_bytes) {
    throw ConfigError(
        fmt::format("ecn.kmin: {} B is more than ecn.kmax, {} B; the marking probability rises from kmin "
                    "to kmax, so exchange them",
                    options.kmin_bytes, options.kmax_bytes));
  }
  std::vector<bool> marks;  // [Tier]
  for (const TierInfo& tier : fabric.tiers) {
    const TierOptions* own = of_fabric.leaves.find(tier.name);
    marks.push_back(own == nullptr ? std::ranges::count(options.tiers, tier.name) > 0 : own->ecn);
  }
  u32 last_speed = 0, last_profile = kNone;
  for (Link& link : fabric.links) {
    const Node& src = fabric.nodes[link.src];
    if (src.kind == NodeKind::endpoint || !marks[static_cast<u32>(src.tier)]) continue;
    if (last_profile == kNone || link.ps_per_byte_q16 != last_speed) {
      last_speed = link.ps_per_byte_q16;
      last_profile = ecn_profile_index(marking_at(bits_per_s_of(last_speed), options), fabric);
    }
    link.ecn = last_profile;
  }
}

}  // namespace heddle
