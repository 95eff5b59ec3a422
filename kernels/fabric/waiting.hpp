// The packets that wait at an egress, for its service. On a GPU every access would wait for memory, one after the
// other, so a plain pass keeps in scratch what the service reads: of the arrivals of the pass, and of the first packets
// that waited before.
#pragma once

#include <type_traits>

#include "kernels/fabric/switch_context.hpp"
#include "kernels/state/in_registers.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// A brief describes a waiting packet: frame bytes 17 | data 1 | ECN 1.
inline constexpr u32 kBriefBits = 19;

HEDDLE_FN u32 brief_of(const Packet& packet) {
  return packet.frame_bytes() | static_cast<u32>(packet.kind() == PacketKind::data) << 17 |
         static_cast<u32>(packet.ecn()) << 18;
}

/// A packet of class c without the fields that only its route and its endpoints need.
HEDDLE_FN Packet packet_of_brief(u32 brief, u32 ingress_port, u32 c) {
  const PacketKind kind = (brief >> 17) & 1 ? PacketKind::data : PacketKind::ack;
  return {0, ingress_port << 20, (brief & 0x1ffff) | (brief >> 18 & 1) << 26 | static_cast<u32>(kind) << 27 | c << 30,
          0};
}

/// Reads packets from the pool. `q` is the queue of class c, `p` a position in it.
class WaitingInPool {
 public:
  static constexpr bool kInScratch = false;
  HEDDLE_FN explicit WaitingInPool(const RingPool& pool) : pool_(pool) {}
  HEDDLE_FN TimePs arrival_ps(u32, const Queue& q, u32 p) const { return pool_.time_ps[q.ring.at(p)]; }
  /// When the packet may start, as far as its arrival decides. For a packet that arrived before this pass, any instant
  /// up to the beginning of the pass would do.
  HEDDLE_FN TimePs ready_ps(u32, const Queue& q, u32 p) const { return pool_.time_ps[q.ring.at(p)]; }
  HEDDLE_FN Packet packet(u32, const Queue& q, u32 p) const { return pool_.packet[q.ring.at(p)]; }

 private:
  const RingPool& pool_;
};

/// Reads packets from the scratch where possible. Its ports are plain: a packet that waits when a pass begins is paused
/// or would have started, so its arrival time does not matter.
template <class Team>
class WaitingInScratch {
 public:
  static constexpr bool kInScratch = true;
  /// Most packets kept per queue that waited before; a tick sends 8 packets of 4 KiB at 400 Gbit/s.
  static constexpr u32 kKept = 8;

  /// The egress at place `y` of the list, with queues `queue`, in a window from `from` on.
  HEDDLE_FN WaitingInScratch(const ScratchOf<Team>& x, const RingPool& pool, const Queue* queue, u32 y, TimePs from)
      : x_(x), pool_(pool), z_(y * kPlainClasses), from_(from) {
    for (u32 c = 0; c < kPlainClasses; ++c) begin_[c] = queue[c].sent;
  }

  /// Keeps the first packets of every queue that waited before those from SwitchScratch::fresh on came.
  HEDDLE_FN static void keep(const SwitchContext<Team>& context) {
    const ScratchOf<Team>& x = context.x;
    const View& v = context.v;
    const auto queue_of = [&](u32 z) {
      return v.queue + (context.first_link + x.list[z / kPlainClasses]) * kPlainClasses + z % kPlainClasses;
    };
    const u32 queues = *x.listed * kPlainClasses;
    context.team.each(queues, [&](u32 z) {
      const u32 waited = x.fresh[z] - queue_of(z)->sent;
      x.kept_run[z] = waited < kKept ? waited : kKept;
    });
    context.team.scan(x.kept_run, queues);
    context.team.items(x.kept_run, queues, queue_of, [&](const Queue* queue, u32 j, u32 k) {
      if (k >= x.packets) return;
      const Packet packet = v.pool.packet[queue->ring.at(queue->sent + j)];
      x.queue_of[k] = packet.ingress_port() << kBriefBits | brief_of(packet);
    });
  }

  /// A key of the order with its packet's brief for the index: time in pass 28 | ingress port 12 | brief 24.
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
    const u32 k = p - in_registers<Team>(begin_, c);
    if (k >= x_.kept_packets(z_ + c)) return pool_.packet[q.ring.at(p)];
    const u32 kept = x_.queue_of[x_.kept_run[z_ + c] + k];
    return packet_of_brief(kept & ((1u << kBriefBits) - 1), kept >> kBriefBits, c);
  }

  /// Held bytes that arrive for class c in this window.
  HEDDLE_FN u64 arriving_bytes(u32 c) const { return x_.fresh_bytes[z_ + c]; }

 private:
  HEDDLE_FN TimePs time_of(u32 c, u32 ahead) const {
    return from_ + static_cast<TimePs>(x_.spare[x_.run[z_ + c] + ahead] >> 36);
  }

  const ScratchOf<Team>& x_;
  const RingPool& pool_;
  const u32 z_;
  const TimePs from_;
  u32 begin_[kPlainClasses];
};

/// Whether passes of a team keep waiting packets in scratch.
template <class Team>
inline constexpr bool kWaitsInScratch = (Team::kInStep && Team::kPlain);

template <class Team>
using Waiting = std::conditional_t<kWaitsInScratch<Team>, WaitingInScratch<Team>, WaitingInPool>;

/// What waits at egress `link`, at place y of the list, in a window from `from` on.
template <class Team>
HEDDLE_FN Waiting<Team> waiting_at(const SwitchContext<Team>& context, u32 link, u32 y, TimePs from) {
  if constexpr (kWaitsInScratch<Team>) {
    return {context.x, context.v.pool, context.v.queue + link * kPlainClasses, y, from};
  } else {
    return Waiting<Team>(context.v.pool);
  }
}

}  // namespace heddle
