// What happens in a run, as it enters the event digest (MODEL.md, 11).
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Kinds of event. All enter the event digest; those made on request (below) only when tracing.
enum class EventKind : u8 {
  depart = 0,  // a packet starts to leave a node: value = packet id
  mark = 1,    // ECN mark set at a switch egress: value = packet id
  pause = 2,
  resume = 3,            // decided at a slot by (node, port, class); port = ingress port; value = 0
  drop = 4,              // value = packet id; cls carries the class, detail the DropCause
  cnp = 5,               // receiver sends a CNP: node = endpoint, value = receiver's qp number
  retransmit = 6,        // a data packet starts again: value = packet id
  timeout = 7,           // RTO: node = endpoint, value = sender's qp number
  message_received = 8,  // last packet in order at the receiver: value = message id
  message_acked = 9,     // last ACK at the sender: value = message id
  rank_entered = 10,     // value = collective id << 32 | rank's index in its job
  rank_finished = 11,
  failure = 12,  // the state of a link changes: node and port where it begins, value = speed << 32 | high bits of loss
  iteration_ended = 13,  // of a GPU's program: node = endpoint, value = task << 32 | iteration
  cts_wait = 14,         // a slice may be sent: node = endpoint, value = how long it has waited for its CTS, ps
  gpu_time = 15,    // a computation of a GPU's program, or its wait for others, is over: node = endpoint, value = how
                    // long it took, ps; cls = the group that it waited for, kNoGroup: it computed; detail = operation
  tcp_window = 16,  // of a TCP connection changes: node = endpoint, value = cwnd << 32 | ssthresh, in segments;
                    // detail = sender's qp number
};

inline constexpr u32 kEventKindCount = 17;

/// Whether events of a kind are made only for those who ask for them.
HEDDLE_FN constexpr bool only_on_request(EventKind kind) {
  return kind == EventKind::depart || kind == EventKind::cts_wait || kind == EventKind::gpu_time ||
         kind == EventKind::tcp_window;
}

enum class DropCause : u8 {
  class_limit = 0,
  headroom_overrun = 1,
  pool_overflow = 2,
  watchdog = 3,
  link_down = 4,  // lost on the way, waiting for a link that goes down, or routed to one that is down
  corrupted = 5,  // bit errors
  no_route = 6,   // failures have left no next hop
};
inline constexpr u32 kDropCauses = 7;

struct Event {
  TimePs time_ps = 0;
  u64 value = 0;
  NodeId node = kNone;  // global id
  u16 port = 0;  // egress port (depart, mark, failure; drops by class_limit, watchdog, link_down, corrupted), ingress
                 // port (pause, resume, other drops), else 0
  u8 cls = 0;
  EventKind kind = EventKind::depart;
  u32 detail = 0;  // DropCause; gpu_time: operation; tcp_window: sender's qp number; else 0
};

/// Packet id: destination endpoint 20 | destination qp 16 | kind 4 | psn 24, high to low.
HEDDLE_FN constexpr u64 packet_id(u32 dst, u32 dst_qp, u32 kind, u32 psn) {
  return (static_cast<u64>(dst) << 44) | (static_cast<u64>(dst_qp & 0xffff) << 28) |
         (static_cast<u64>(kind & 15) << 24) | (psn & 0xffffff);
}

/// What one event adds to the event digest (mod 2^64). The seed is not part of it: equal outcomes have equal digests.
HEDDLE_FN constexpr u64 digest_of(const Event& e) {
  return hash64(
      0, Stream::digest,
      (static_cast<u64>(e.kind) << 56) | (static_cast<u64>(e.cls) << 48) | (static_cast<u64>(e.port) << 32) | e.node,
      static_cast<u64>(e.detail), static_cast<u64>(e.time_ps), e.value);
}

}  // namespace heddle
