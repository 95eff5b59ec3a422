// The packets that wait at an egress, as its service looks at them. On a GPU every look would wait for memory, one
// after the other, so a plain pass has in scratch what it will ask: of what arrives in it, and of the first that waited
// before.
#pragma once

#include <type_traits>

#include "kernels/fabric/switch_scratch.hpp"
#include "kernels/state/in_registers.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Of a packet that waits: frame bytes 17 | data 1 | ECN 1.
inline constexpr u32 kBriefBits = 19;

HEDDLE_FN u32 brief_of(const Packet& packet) {
  return packet.frame_bytes() | static_cast<u32>(packet.kind() == PacketKind::data) << 17 |
         static_cast<u32>(packet.ecn()) << 18;
}

/// A packet of class c without what only its way and its ends ask for.
HEDDLE_FN Packet packet_of_brief(u32 brief, u32 ingress_port, u32 c) {
  const PacketKind kind = (brief >> 17) & 1 ? PacketKind::data : PacketKind::ack;
  return {0, ingress_port << 20, (brief & 0x1ffff) | (brief >> 18 & 1) << 26 | static_cast<u32>(kind) << 27 | c << 30,
          0};
}

/// Looks at the pool. `q` is the queue of class c, `p` a position in it.
class WaitingInPool {
 public:
  static constexpr bool kInScratch = false;
  HEDDLE_FN explicit WaitingInPool(const RingPool& pool) : pool_(pool) {}
  HEDDLE_FN TimePs arrival_ps(u32, const Queue& q, u32 p) const { return pool_.time_ps[q.ring.at(p)]; }
  /// When it may start, as far as that is up to its arrival. Of what arrived before this pass, any instant up to the
  /// beginning of the pass says the same.
  HEDDLE_FN TimePs ready_ps(u32, const Queue& q, u32 p) const { return pool_.time_ps[q.ring.at(p)]; }
  HEDDLE_FN Packet packet(u32, const Queue& q, u32 p) const { return pool_.packet[q.ring.at(p)]; }

 private:
  const RingPool& pool_;
};

/// Looks at the scratch, where it can. Its ports are plain: what waits when a pass begins would have started, or is
/// paused, so when it arrived does not matter.
template <class Team>
class WaitingInScratch {
 public:
  static constexpr bool kInScratch = true;
  /// Of so many that waited before, at most; a tick takes 8 packets of 4 KiB at 400 Gbit/s.
  static constexpr u32 kKept = 8;

  /// Egress `i` of the team at place `y` of the list, whose queues are `queue`, in a window from `from` on.
  HEDDLE_FN WaitingInScratch(const ScratchOf<Team>& x, const RingPool& pool, const Queue* queue, u32 i, u32 y,
                             TimePs from)
      : x_(x), pool_(pool), q_(i * kPlainClasses), z_(y * kPlainClasses), from_(from) {
    for (u32 c = 0; c < kPlainClasses; ++c) begin_[c] = queue[c].sent;
  }

  /// A phase's part: keeps what waits in `queue`, of egress queue q of the team, before it gets what lies from `fresh`
  /// on.
  HEDDLE_FN static void keep(const Team& team, const ScratchOf<Team>& x, const RingPool& pool, const Queue& queue,
                             u32 q, u32 fresh) {
    const u32 waiting = fresh - queue.sent, kept = waiting < kKept ? waiting : kKept;
    if (kept == 0) return;
    const u32 first = team.add(*x.kept, kept);
    const bool fits = first + kept <= x.packets;
    x.counted[q] = fits ? first : kNone;
    if (!fits) return;
    for (u32 k = 0; k < kept; ++k) {
      const Packet packet = pool.packet[queue.ring.at(queue.sent + k)];
      x.queue_of[first + k] = packet.ingress_port() << kBriefBits | brief_of(packet);
    }
  }

  /// A key of the order, once its packet has its place: time in pass 28 | ingress port of the switch 12 | brief 24.
  HEDDLE_FN static u64 key_of(u64 key, const Packet& packet) {
    return key >> 36 << 36 | u64{packet.ingress_port()} << 24 | brief_of(packet);
  }

  HEDDLE_FN TimePs arrival_ps(u32 c, const Queue& q, u32 p) const {
    const u32 ahead = p - x_.fresh[z_ + c];
    return static_cast<i32>(ahead) < 0 ? pool_.time_ps[q.ring.at(p)] : time_of(c, ahead);
  }
  HEDDLE_FN TimePs ready_ps(u32 c, const Queue&, u32 p) const {
    const u32 ahead = p - x_.fresh[z_ + c];
    return static_cast<i32>(ahead) < 0 ? from_ : time_of(c, ahead);
  }
  HEDDLE_FN Packet packet(u32 c, const Queue& q, u32 p) const {
    const u32 ahead = p - x_.fresh[z_ + c];
    if (static_cast<i32>(ahead) >= 0) {
      const u64 key = x_.spare[x_.run[z_ + c] + ahead];
      return packet_of_brief(static_cast<u32>(key) & 0xffffff, static_cast<u32>(key >> 24) & 0xfff, c);
    }
    const u32 k = p - in_registers<Team>(begin_, c), first = x_.counted[q_ + c];
    if (k >= kKept || first == kNone) return pool_.packet[q.ring.at(p)];
    const u32 kept = x_.queue_of[first + k];
    return packet_of_brief(kept & ((1u << kBriefBits) - 1), kept >> kBriefBits, c);
  }

  /// Bytes that arrive for class c in this window.
  HEDDLE_FN u64 arriving_bytes(u32 c) const { return x_.arriving[q_ + c]; }

 private:
  HEDDLE_FN TimePs time_of(u32 c, u32 ahead) const {
    return from_ + static_cast<TimePs>(x_.spare[x_.run[z_ + c] + ahead] >> 36);
  }

  const ScratchOf<Team>& x_;
  const RingPool& pool_;
  const u32 q_, z_;
  const TimePs from_;
  u32 begin_[kPlainClasses];
};

/// Whether passes of a team have it in scratch.
template <class Team>
inline constexpr bool kWaitsInScratch = (Team::kInStep && Team::kPlain);

template <class Team>
using Waiting = std::conditional_t<kWaitsInScratch<Team>, WaitingInScratch<Team>, WaitingInPool>;

}  // namespace heddle
