#include "tests/oracle/ingress_buffers.hpp"

#include "kernels/base/units.hpp"

namespace heddle::oracle {
namespace {
constexpr u64 kDynamicResumeBytes = 3072;  // dynamic XON lies 3 KiB below XOFF
}

IngressBuffers::IngressBuffers(Simulation& sim, NodeId node) : sim_(sim), node_(node) {
  const Fabric& fabric = sim.world.fabric;
  for (u32 p = 0; p < fabric.nodes[node].ports; ++p) {
    LinkId ingress = fabric.links[fabric.nodes[node].first_link + p].reverse;
    if (fabric.links[ingress].ingress == kNone) continue;
    accounts_[ingress] = {};
    if (fabric.links[ingress].pool != kNone) pools_[fabric.links[ingress].pool] = {};
  }
}

bool IngressBuffers::accounts_for(LinkId link, u32 cls) const {
  return sim_.world.fabric.classes[cls].pfc && accounts_.count(link) > 0;
}

const IngressProfile& IngressBuffers::profile_of(LinkId link) const {
  const Fabric& fabric = sim_.world.fabric;
  return fabric.ingress[fabric.links[link].ingress];
}

/// XOFF of the latest epoch start <= t. An epoch start at which the node was not woken found its pools empty.
u64 IngressBuffers::xoff_bytes(LinkId link, TimePs t) const {
  const IngressProfile& profile = profile_of(link);
  if (!profile.dynamic) return profile.xoff_bytes;
  u32 pool = sim_.world.fabric.links[link].pool;
  const PoolUse& use = pools_.at(pool);
  TimePs epoch_start = t - t % sim_.world.clocks.epoch_ps;
  u64 used = use.epoch_start_ps == epoch_start ? use.epoch_bytes : 0;
  u64 shared = sim_.world.fabric.pools[pool].shared_bytes;
  u64 free_bytes = shared > used ? shared - used : 0;
  return static_cast<u64>((static_cast<unsigned __int128>(profile.alpha_q16) * free_bytes) >> 16);
}

u64 IngressBuffers::xon_bytes(LinkId link, u64 xoff) const {
  const IngressProfile& profile = profile_of(link);
  if (!profile.dynamic) return profile.xon_bytes;
  return xoff > kDynamicResumeBytes ? xoff - kDynamicResumeBytes : 0;
}

std::optional<DropCause> IngressBuffers::refuses(LinkId link, const Packet& packet, TimePs t) const {
  const Account& account = accounts_.at(link)[packet.cls];
  u64 xoff = account.pausing ? account.bytes_at_pause : xoff_bytes(link, t);
  if (account.bytes + packet.frame_bytes() > xoff + profile_of(link).headroom_bytes) {
    return DropCause::headroom_overrun;
  }
  u32 pool = sim_.world.fabric.links[link].pool;
  if (pool == kNone) return std::nullopt;
  bool fits = pools_.at(pool).bytes + packet.frame_bytes() <= sim_.world.fabric.pools[pool].limit_bytes;
  return fits ? std::nullopt : std::optional(DropCause::pool_overflow);
}

void IngressBuffers::charge(LinkId link, const Packet& packet) {
  accounts_.at(link)[packet.cls].bytes += packet.frame_bytes();
  u32 pool = sim_.world.fabric.links[link].pool;
  if (pool != kNone) pools_.at(pool).bytes += packet.frame_bytes();
}

void IngressBuffers::release(LinkId link, const Packet& packet) {
  accounts_.at(link)[packet.cls].bytes -= packet.frame_bytes();
  u32 pool = sim_.world.fabric.links[link].pool;
  if (pool != kNone) pools_.at(pool).bytes -= packet.frame_bytes();
}

void IngressBuffers::sample(TimePs t, const std::vector<Transmitter>& ports) {
  if (t % sim_.world.clocks.epoch_ps == 0) {
    for (auto& [pool, use] : pools_) use.epoch_start_ps = t, use.epoch_bytes = use.bytes;
  }
  const Fabric& fabric = sim_.world.fabric;
  for (const Transmitter& port : ports) {
    LinkId ingress = fabric.links[port.link()].reverse;
    for (u32 cls = 0; cls < fabric.classes.size(); ++cls) {
      if (accounts_for(ingress, cls)) decide(t, port, ingress, cls);
    }
  }
}

void IngressBuffers::decide(TimePs t, const Transmitter& port, LinkId link, u32 cls) {
  Account& account = accounts_.at(link)[cls];
  u64 xoff = xoff_bytes(link, t);
  bool pause = !account.pausing && account.bytes > 0 && account.bytes >= xoff;
  bool resume = account.pausing && (account.bytes == 0 || account.bytes <= xon_bytes(link, xoff));
  if (!pause && !resume) return;
  account.pausing = pause;
  if (pause) account.bytes_at_pause = account.bytes;
  const Link& back = sim_.world.fabric.links[port.link()];
  sim_.recorder.event(pause ? EventKind::pause : EventKind::resume, t, node_, sim_.world.fabric.links[link].dst_port,
                      cls, 0);
  TimePs leaves = port.end_of_current(t);
  sim_.pause_source_of(link, cls, pause, leaves + ser_ps(kPauseWireBytes, back.ps_per_byte_q16) + back.phi_ps);
}

bool IngressBuffers::busy() const {
  for (const auto& [link, classes] : accounts_) {
    for (const Account& account : classes) {
      if (account.bytes > 0 || account.pausing) return true;
    }
  }
  return false;
}

}  // namespace heddle::oracle
