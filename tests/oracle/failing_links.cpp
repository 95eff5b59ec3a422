#include "tests/oracle/failing_links.hpp"

#include <algorithm>

#include "kernels/base/hash.hpp"

namespace heddle::oracle {

const LinkChange* change_at(const World& world, LinkId link, TimePs t) {
  auto all = world.failures.of(link);
  auto found = std::ranges::lower_bound(all, t, {}, &LinkChange::at_ps);
  return found != all.end() && found->at_ps == t ? &*found : nullptr;
}

bool goes_down_between(const World& world, LinkId link, TimePs after, TimePs before) {
  auto all = world.failures.of(link);
  auto first = std::ranges::upper_bound(all, after, {}, &LinkChange::at_ps);
  return std::any_of(first, all.end(), [&](const LinkChange& c) { return c.at_ps < before && !c.state.up(); });
}

u64 survival_q64(u64 loss_q64, u64 bytes) {
  unsigned __int128 survives = ~u64{0}, power = u64{0} - loss_q64;
  for (; bytes > 0; bytes /= 2) {
    if (bytes % 2 == 1) survives = survives * power >> 64;
    power = power * power >> 64;
  }
  return static_cast<u64>(survives);
}

std::optional<DropCause> lost_on_the_way(const World& world, LinkId link, const Packet& packet, TimePs s, TimePs due) {
  if (goes_down_between(world, link, s, due)) return DropCause::link_down;
  u64 loss_q64 = state_at(world.fabric, world.failures, link, s).loss_q64;
  if (loss_q64 == 0) return std::nullopt;
  const Link& l = world.fabric.links[link];
  u64 where = (u64{l.src} << 32) | l.src_port;
  u64 chance = hash64(world.seed, Stream::corruption, where, static_cast<u64>(s));
  u64 wire_bytes = packet.frame_bytes + world.fabric.wire_gap_bytes;
  return chance >= survival_q64(loss_q64, wire_bytes) ? std::optional(DropCause::corrupted) : std::nullopt;
}

}  // namespace heddle::oracle
