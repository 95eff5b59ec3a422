// State of ports, queues and buffers (MODEL.md, 5 and 6).
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/state/ring.hpp"

namespace heddle {

/// The producer's side of one FIFO, per (link, class).
struct Queue {
  Ring ring;
  u32 tail = 0, sent = 0;
  u64 bytes = 0;  // frame bytes in [sent, tail)
};

/// The part of a queue that its consumer may see.
struct Published {
  Ring ring;
  u32 sent = 0;
};

/// An egress port: constants and the transmitter.
struct Egress {
  TimePs free_ps = 0;
  TimePs lambda_ps = 0;
  u32 ps_per_byte_q16 = 0;
  u32 ecn = kNone;         // Fabric::ecn
  u32 cell_bytes = 1;      // of its node: held bytes are counted in whole cells
  u32 max_held_bytes = 1;  // largest size of one packet, of any kind
  u32 dst_node = kNone;    // local number of the node at the other end
  u32 dst_port = 0;        // its port
  u32 reverse = kNone;     // local link number
};

/// Deficit round robin over the weighted classes; only touched when there are two of them.
struct Drr {
  u32 pointer = 0;
  u32 deficit[kMaxClasses] = {};
};

/// State of a node for one of its ingress links; same index as the egress link of that port.
struct IngressPort {
  u32 profile = kNone;  // Fabric::ingress, kNone: no PFC
  u32 pool = kNone;
  TimePs phi_ps = 0;    // latency of pause frames, which travel in the reverse direction
  u32 pause_first = 0;  // storage of the pause changes for the incoming link
  u32 pause_mask = 0;
};

/// PFC account of one (ingress, lossless class).
struct Account {
  u32 occupancy_bytes = 0;
  u32 pausing = 0;
  u32 level_at_pause_bytes = 0;  // occupancy when PAUSE was decided: later arrivals use headroom
};

/// Held bytes that an egress queue of a class with a dynamic limit has admitted in an epoch.
struct Admitted {
  TimePs epoch = -1;  // number of the epoch that `bytes` belongs to
  u64 bytes = 0;
};

/// The state of pauses of one (link, lossless class) at its sending end.
inline constexpr u32 kPaused = 1, kTripped = 2;  // tripped: paused, and the watchdog drops arrivals
struct PauseReader {
  u32 head = 0;
  u32 paused = 0;  // 0, kPaused or kTripped
  TimePs since_ps = 0;
  u64 total_ps = 0;
};

struct PoolState {
  u64 used_bytes = 0;            // all held bytes
  u64 shared_used_bytes = 0;     // without bytes in reserves and headrooms
  TimePs epoch = -1;             // number of the epoch that free_bytes belongs to
  u64 free_bytes = 0;            // shared - shared_used at that epoch's start
  u64 arriving_bytes = 0;        // in the current window
  u32 best_effort_arriving = 0;  // some of the arriving bytes are of a class with a dynamic limit
};

}  // namespace heddle
