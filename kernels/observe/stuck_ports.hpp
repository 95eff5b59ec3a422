// Ports that wait for a queue that does not move: the queue, and how its packets came.
#pragma once

#include "kernels/fabric/came_by.hpp"
#include "kernels/state/view.hpp"
#include "kernels/team/runs.hpp"

namespace heddle {

/// A lossless queue of a switch holds packets that came so.
struct StuckPort {
  u32 queue_link, queue_class;  // local number of its egress link
  CameBy by;
};

HEDDLE_FN u64 word_of(const StuckPort& stuck) {
  return static_cast<u64>(stuck.queue_link) << 32 | stuck.queue_class << 30 | stuck.by.traffic_class << 28 |
         stuck.by.port;
}
constexpr StuckPort stuck_port_of(u64 word) {
  const u32 low = static_cast<u32>(word);
  return {static_cast<u32>(word >> 32), low >> 30, {low & 0xfffffff, low >> 28 & 3}};
}

/// Whether lossless queue `q` (link * pfc_classes + its number among the lossless classes) holds packets, and has been
/// paused since `paused_before_ps` or earlier.
struct IsStuck {
  const View* view;
  TimePs paused_before_ps;

  HEDDLE_FN bool operator()(u32 q) const {
    const View& v = *view;
    const Queue& queue = lossless_queue(v, q);
    const PauseReader& reader = v.pause_reader[q];
    return queue.sent != queue.tail && reader.paused && reader.since_ps <= paused_before_ps;
  }

  HEDDLE_FN static const Queue& lossless_queue(const View& v, u32 q) {
    const u32 link = q / v.settings.pfc_classes, c = v.settings.pfc_class[q % v.settings.pfc_classes];
    return v.queue[link * v.settings.classes + c];
  }
};

/// The packets that wait in lossless queues.
struct WaitingLossless {
  const View* view;

  HEDDLE_FN u32 count(u32 q) const {
    const Queue& queue = IsStuck::lossless_queue(*view, q);
    return queue.tail - queue.sent;
  }
  /// The word of the stuck port of the i-th packet.
  HEDDLE_FN u64 stuck_port(u32 q, u32 i) const {
    const View& v = *view;
    const Queue& queue = IsStuck::lossless_queue(v, q);
    const Packet& packet = v.pool.packet[queue.ring.at(queue.sent + i)];
    const u32 pfc_classes = v.settings.pfc_classes;
    return word_of({q / pfc_classes, v.settings.pfc_class[q % pfc_classes], came_by(v.settings, packet)});
  }
};

/// Number of waiting packets of the i-th of some queues.
struct CountOfStuck {
  WaitingLossless waiting;
  const u32* queues;
  HEDDLE_FN u32 operator()(u32 i) const { return waiting.count(queues[i]); }
};

/// The stuck port of the k-th packet that waits in any of `count` queues; queue i holds the packets below ends[i].
struct StuckPortOfPacket {
  WaitingLossless waiting;
  const u32 *queues, *ends;
  u32 count;

  HEDDLE_FN u64 operator()(u32 k) const {
    const u32 i = run_of_item(ends, count, k);
    return waiting.stuck_port(queues[i], i == 0 ? k : k - ends[i - 1]);
  }
};

}  // namespace heddle
