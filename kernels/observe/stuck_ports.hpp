// Ports that wait for a queue that does not move: the queue by its link, and the ports by which its packets arrived.
#pragma once

#include "kernels/state/view.hpp"
#include "kernels/team/runs.hpp"

namespace heddle {

/// The egress `link` of a switch holds packets that arrived by its port `port`, as local link << 32 | port.
HEDDLE_FN u64 stuck_port(u32 link, u32 port) { return static_cast<u64>(link) << 32 | port; }
constexpr u32 link_of_stuck_port(u64 stuck) { return static_cast<u32>(stuck >> 32); }
constexpr u32 port_of_stuck_port(u64 stuck) { return static_cast<u32>(stuck); }

/// Whether a lossless queue of an egress holds packets, and has been paused since `paused_before_ps` or earlier.
struct IsStuck {
  const View* view;
  TimePs paused_before_ps;

  HEDDLE_FN bool operator()(u32 link) const {
    const View& v = *view;
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
      const Queue& queue = v.queue[link * v.settings.classes + v.settings.pfc_class[p]];
      const PauseReader& reader = v.pause_reader[link * v.settings.pfc_classes + p];
      if (queue.sent != queue.tail && reader.paused && reader.since_ps <= paused_before_ps) return true;
    }
    return false;
  }
};

/// The packets that wait in the lossless queues of an egress.
struct WaitingLossless {
  const View* view;

  HEDDLE_FN u32 count(u32 link) const {
    const View& v = *view;
    u32 sum = 0;
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) sum += waiting(link, p).count;
    return sum;
  }
  /// Ingress port of the i-th packet.
  HEDDLE_FN u32 ingress_port(u32 link, u32 i) const {
    const View& v = *view;
    u32 p = 0;
    for (; i >= waiting(link, p).count; ++p) i -= waiting(link, p).count;
    const Queue& queue = *waiting(link, p).queue;
    return v.pool.packet[queue.ring.at(queue.sent + i)].ingress_port();
  }

 private:
  struct Waiting {
    const Queue* queue;
    u32 count;
  };
  HEDDLE_FN Waiting waiting(u32 link, u32 p) const {
    const Queue& queue = view->queue[link * view->settings.classes + view->settings.pfc_class[p]];
    return {&queue, queue.tail - queue.sent};
  }
};

/// Number of waiting packets of the i-th of some links.
struct CountOfStuck {
  WaitingLossless waiting;
  const u32* links;
  HEDDLE_FN u32 operator()(u32 i) const { return waiting.count(links[i]); }
};

/// The stuck port of the k-th packet that waits at any of `count` links; link i holds the packets below ends[i].
struct StuckPortOfPacket {
  WaitingLossless waiting;
  const u32 *links, *ends;
  u32 count;

  HEDDLE_FN u64 operator()(u32 k) const {
    const u32 i = run_of_item(ends, count, k);
    return stuck_port(links[i], waiting.ingress_port(links[i], i == 0 ? k : k - ends[i - 1]));
  }
};

}  // namespace heddle
