#include "tests/oracle/ingress_buffers.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"
#include "tests/oracle/failing_links.hpp"

namespace heddle::oracle {
namespace {
constexpr u64 kDynamicResumeBytes = 3072;  // dynamic XON is 3 KiB below XOFF
}

IngressBuffers::IngressBuffers(Simulation& sim, NodeId node) : sim_(sim), node_(node) {
  const Fabric& fabric = sim.world.fabric;
  for (u32 p = 0; p < fabric.nodes[node].ports; ++p) {
    LinkId ingress = fabric.links[fabric.nodes[node].first_link + p].reverse;
    if (fabric.links[ingress].pool != kNone) pools_[fabric.links[ingress].pool] = {};
    if (fabric.links[ingress].ingress != kNone) accounts_[ingress] = {};
  }
}

bool IngressBuffers::accounts_for(LinkId link, u32 cls) const {
  return sim_.world.fabric.classes[cls].pfc && accounts_.count(link) > 0;
}

const IngressProfile& IngressBuffers::profile_of(LinkId link) const {
  const Fabric& fabric = sim_.world.fabric;
  return fabric.ingress[fabric.links[link].ingress];
}

u64 IngressBuffers::held(const Packet& packet) const {
  u64 cell = sim_.world.fabric.nodes[node_].cell_bytes;
  u64 cells = (packet.frame_bytes + cell - 1) / cell;
  return cells * cell;
}

/// Bytes held in a pool beyond reserves and headrooms. A packet is in the headroom when its account, with the packet,
/// held more than at the slot that decided the current pause.
u64 IngressBuffers::shared_use_bytes(u32 pool) const {
  u64 sum = pools_.at(pool).best_effort_bytes;
  for (const auto& [link, classes] : accounts_) {
    if (sim_.world.fabric.links[link].pool != pool) continue;
    u64 reserve = profile_of(link).reserve_bytes;
    for (const Account& account : classes) {
      u64 bytes = account.pausing ? std::min(account.bytes, account.bytes_at_pause) : account.bytes;
      sum += bytes - std::min(bytes, reserve);
    }
  }
  return sum;
}

/// Free shared memory at the latest epoch start <= t. If the node was not woken there, its pools were empty.
u64 IngressBuffers::free_bytes(u32 pool, TimePs t) const {
  const PoolUse& use = pools_.at(pool);
  TimePs epoch_start = t - t % sim_.world.clocks.epoch_ps;
  u64 used = use.epoch_start_ps == epoch_start ? use.epoch_bytes : 0;
  u64 shared = sim_.world.fabric.pools[pool].shared_bytes;
  return shared > used ? shared - used : 0;
}

/// XOFF of the latest epoch start <= t.
u64 IngressBuffers::xoff_bytes(LinkId link, TimePs t) const {
  const IngressProfile& profile = profile_of(link);
  if (!profile.dynamic) return profile.xoff_bytes;
  u64 free = free_bytes(sim_.world.fabric.links[link].pool, t);
  return profile.reserve_bytes + static_cast<u64>((static_cast<unsigned __int128>(profile.alpha_q16) * free) >> 16);
}

u64 IngressBuffers::xon_bytes(LinkId link, u64 xoff) const {
  const IngressProfile& profile = profile_of(link);
  if (!profile.dynamic) return profile.xon_bytes;
  return xoff > kDynamicResumeBytes ? xoff - kDynamicResumeBytes : 0;
}

std::optional<DropCause> IngressBuffers::refuses(LinkId link, const Packet& packet, TimePs t) const {
  const Account& account = accounts_.at(link)[packet.cls];
  u64 xoff = account.pausing ? account.bytes_at_pause : xoff_bytes(link, t);
  if (account.bytes + held(packet) > xoff + profile_of(link).headroom_bytes) {
    return DropCause::headroom_overrun;
  }
  u32 pool = sim_.world.fabric.links[link].pool;
  if (pool == kNone) return std::nullopt;
  bool fits = pools_.at(pool).bytes + held(packet) <= sim_.world.fabric.pools[pool].limit_bytes;
  return fits ? std::nullopt : std::optional(DropCause::pool_overflow);
}

void IngressBuffers::charge(LinkId link, const Packet& packet) {
  accounts_.at(link)[packet.cls].bytes += held(packet);
  u32 pool = sim_.world.fabric.links[link].pool;
  if (pool != kNone) pools_.at(pool).bytes += held(packet);
}

void IngressBuffers::release(LinkId link, const Packet& packet) {
  accounts_.at(link)[packet.cls].bytes -= held(packet);
  u32 pool = sim_.world.fabric.links[link].pool;
  if (pool != kNone) pools_.at(pool).bytes -= held(packet);
}

bool IngressBuffers::limits_dynamically(LinkId link, u32 cls) const {
  const TrafficClass& c = sim_.world.fabric.classes[cls];
  return !c.pfc && c.limit_alpha_q16 > 0 && sim_.world.fabric.links[link].pool != kNone;
}

bool IngressBuffers::refuses_best_effort(LinkId link, u32 cls, u64 queue_bytes, u64 bytes, TimePs t) const {
  u32 pool = sim_.world.fabric.links[link].pool;
  auto admitted = admitted_.find({link, cls});
  bool this_epoch =
      admitted != admitted_.end() && admitted->second.epoch_start_ps == t - t % sim_.world.clocks.epoch_ps;
  u64 taken = this_epoch ? admitted->second.bytes : 0;
  u64 free = free_bytes(pool, t);
  u64 left = free > taken ? free - taken : 0;
  u64 alpha_q16 = sim_.world.fabric.classes[cls].limit_alpha_q16;
  if (queue_bytes + bytes > static_cast<u64>((static_cast<unsigned __int128>(alpha_q16) * left) >> 16)) return true;
  return shared_use_bytes(pool) + bytes > sim_.world.fabric.pools[pool].shared_bytes;
}

void IngressBuffers::charge_best_effort(LinkId link, u32 cls, u64 bytes, TimePs t) {
  PoolUse& use = pools_.at(sim_.world.fabric.links[link].pool);
  use.bytes += bytes, use.best_effort_bytes += bytes;
  Admitted& admitted = admitted_[{link, cls}];
  TimePs epoch_start = t - t % sim_.world.clocks.epoch_ps;
  if (admitted.epoch_start_ps != epoch_start) admitted = {epoch_start, 0};
  admitted.bytes += bytes;
}

void IngressBuffers::release_best_effort(LinkId link, u64 bytes) {
  PoolUse& use = pools_.at(sim_.world.fabric.links[link].pool);
  use.bytes -= bytes, use.best_effort_bytes -= bytes;
}

void IngressBuffers::link_goes_down(LinkId link) {
  auto found = accounts_.find(link);
  if (found == accounts_.end()) return;
  for (Account& account : found->second) account.pausing = false;
}

void IngressBuffers::sample(TimePs t, const std::vector<Transmitter>& ports) {
  if (t % sim_.world.clocks.epoch_ps == 0) {
    for (auto& [pool, use] : pools_) use.epoch_start_ps = t, use.epoch_bytes = shared_use_bytes(pool);
  }
  const Fabric& fabric = sim_.world.fabric;
  for (const Transmitter& port : ports) {
    LinkId ingress = fabric.links[port.link()].reverse;
    if (!port.up()) continue;  // the cable is down
    for (u32 cls = 0; cls < fabric.classes.size(); ++cls) {
      if (accounts_for(ingress, cls)) decide(t, port, ingress, cls);
    }
  }
}

void IngressBuffers::decide(TimePs t, const Transmitter& port, LinkId link, u32 cls) {
  Account& account = accounts_.at(link)[cls];
  u64 xoff = xoff_bytes(link, t);
  bool pause = !account.pausing && account.bytes > 0 && account.bytes >= xoff;
  bool headroom_empty = account.bytes <= account.bytes_at_pause;
  bool low = account.bytes <= profile_of(link).reserve_bytes || account.bytes <= xon_bytes(link, xoff);
  bool resume = account.pausing && headroom_empty && low;
  if (!pause && !resume) return;
  account.pausing = pause;
  if (pause) account.bytes_at_pause = account.bytes;
  if (pause) sim_.links.pause_decided(link);
  const Link& back = sim_.world.fabric.links[port.link()];
  sim_.recorder.event(pause ? EventKind::pause : EventKind::resume, t, node_, sim_.world.fabric.links[link].dst_port,
                      cls, 0);
  TimePs leaves = port.end_of_current(t);
  TimePs effect = leaves + ser_ps(kPauseWireBytes, port.ps_per_byte_q16()) + back.phi_ps;
  effect = std::max(effect, account.latest_effect_ps);  // frames keep their order, whatever the link's speed
  if (goes_down_between(sim_.world, link, t, effect + 1)) return;
  account.latest_effect_ps = effect;
  sim_.pause_source_of(link, cls, pause, effect);
}

bool IngressBuffers::busy() const {
  for (const auto& [pool, use] : pools_) {
    if (use.bytes > 0) return true;
  }
  for (const auto& [link, classes] : accounts_) {
    for (const Account& account : classes) {
      if (account.bytes > 0 || account.pausing) return true;
    }
  }
  return false;
}

}  // namespace heddle::oracle
