// Packets that start and never arrive: their link goes down, or damages them (MODEL.md, 5.8). The loss is decided at
// the start, so they never get onto the wire.
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/fabric/link_schedule.hpp"
#include "kernels/state/emit.hpp"

namespace heddle {

/// Probability, in units of 2^-64, that `bytes` bytes arrive undamaged.
HEDDLE_FN u64 survival_q64(u64 loss_q64, u32 bytes) {
  const auto product = [](u64 a, u64 b) { return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64); };
  u64 survives = ~u64{0}, power = u64{0} - loss_q64;
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) survives = product(survives, power);
    power = product(power, power);
  }
  return survives;
}

/// Whether the packet at `entry` of the pool, which starts on `link` at `start`, gets lost before `arrival`. Counts and
/// reports the loss.
template <class Team>
HEDDLE_RARE_FN bool lose_packet(const Team& team, const View& v, u32 link, u32 entry, TimePs start, TimePs arrival) {
  const Packet& packet = v.pool.packet[entry];
  LinkCondition& condition = v.failing.link[link];
  DropCause cause = DropCause::link_down;
  if (!goes_down_before(v, link, arrival)) {
    if (condition.loss_q64 == 0) return false;
    const u64 chance = hash64(v.settings.seed, Stream::corruption, port_word(v, link), static_cast<u64>(start));
    if (chance < survival_q64(condition.loss_q64, packet.wire_bytes(v.settings.wire_gap_bytes))) return false;
    cause = DropCause::corrupted;
  }
  ++condition.losses;
  emit_drop(team, v, link, packet, cause, start);
  return true;
}

/// Removes the packet that was started last; the packets behind it close up.
HEDDLE_RARE_FN void take_off_wire(const View& v, Queue& queue) {
  --queue.sent;
  --queue.tail;
  for (u32 p = queue.sent; p != queue.tail; ++p) {
    const u32 to = queue.ring.at(p), from = queue.ring.at(p + 1);
    v.pool.packet[to] = v.pool.packet[from];
    v.pool.time_ps[to] = v.pool.time_ps[from];
  }
}

}  // namespace heddle
