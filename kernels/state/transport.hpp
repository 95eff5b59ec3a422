// State of endpoints: NICs, senders, receivers (MODEL.md, 8).
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/congestion/controls.hpp"
#include "kernels/outcome/message.hpp"
#include "kernels/state/fifo.hpp"
#include "kernels/state/tcp.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// The constant part of a queue pair's sending end.
struct SenderPlan {
  EndpointId dst = kNone;  // global
  u16 receiver_number = 0;
  u16 entropy = 0;
  u32 traffic_class = 1;
  u32 first_message = 0;  // explicit: messages [first, first + count) of the World
  u32 messages = 0;
  u32 connection = kNone;  // else the connection whose slices it carries
  u32 scaling_index = 0;
  u32 tcp = kNone;  // index of the TCP connection, or RoCE
};

/// Value of Sender::tries and CtsStream::tries of a failed queue pair, which sends nothing any more.
inline constexpr u8 kFailed = 255;

/// Maximum number of packets of a message, because Sender::packets has 32 bits.
inline constexpr u64 kMaxMessagePackets = 0xffffffff;

/// The sending end of a queue pair. PSNs count mod 2^32.
struct Sender {
  u32 una = 0, next = 0, sent_end = 0;
  u32 una_message = 0, una_begin = 0;  // the message of PSN una, and its first PSN
  u32 message = 0, begin = 0;          // the message of PSN next, and its first PSN
  u32 packets = 0;                     // of that message; 0: not available yet
  u64 bytes = 0;                       // of that message
  TimePs last_start_ps = 0;
  TimePs pace_ps = 0;  // with congestion control: earliest next start, exact until the next CNP
  TimePs last_progress_ps = 0;
  u32 last_wire_bytes = 0;  // 0: nothing sent yet
  u8 tries = 0;
  u8 ready = 0;          // a bit for each port in whose ready set, of its class, it is
  bool timed = false;    // in the timer heap, due at timer_ps
  bool repeats = false;  // selective repeat: packets are to be retransmitted (Endpoints::repeat)
  TimePs timer_ps = 0;

  HEDDLE_FN bool awaits_ack() const { return una != sent_end && tries != kFailed; }
};

/// Additional state of a sender with selective repeat: its low timeout, the round trip that this follows, and the
/// packets still to be retransmitted after an outage (MODEL.md, 8.4).
struct LowTimer {
  TimePs rtt_ps = 0;       // 0: not measured yet
  TimePs timed_ps = 0;     // start of the packet that is timed
  TimePs last_low_ps = 0;  // the last low timeout
  u32 timed_psn = 0;
  u32 again = 0, until = 0;  // recovery: the next PSN to retransmit, and the end; equal: no recovery
  bool timing = false;
  u8 lows = 0;  // low timeouts since una advanced

  /// When the low timeout of `q` is due; kNever: it is not running.
  HEDDLE_FN TimePs due_ps(const Sender& q, TimePs rto_low_ps) const {
    if (rto_low_ps == 0 || q.una == q.next || lows >= kMaxLowTimeouts || q.tries == kFailed) return kNever;
    TimePs since_ps = q.last_progress_ps > q.last_start_ps ? q.last_progress_ps : q.last_start_ps;
    if (last_low_ps > since_ps) since_ps = last_low_ps;
    const u32 doublings = lows < kMaxLowDoublings ? lows : kMaxLowDoublings;
    return since_ps + ((rto_low_ps > 2 * rtt_ps ? rto_low_ps : 2 * rtt_ps) << doublings);
  }

  HEDDLE_FN void time(u32 psn, TimePs start_ps) {
    timed_psn = psn;
    timed_ps = start_ps;
    timing = true;
  }

  /// una of `q` has advanced at t.
  HEDDLE_FN void on_progress(const Sender& q, TimePs t) {
    lows = 0;
    if (timing && static_cast<i32>(q.una - timed_psn) <= 0) return;
    if (timing) sample(t - timed_ps);
    timing = false;
    if (q.una != q.sent_end) time(q.sent_end - 1, q.last_start_ps);
  }

  /// A low timeout of `q` at t.
  HEDDLE_FN void on_low_timeout(const Sender& q, TimePs t) {
    last_low_ps = t;
    if (++lows < 2) return;
    again = q.una + 1;
    until = q.next;
  }

  /// A retransmission timeout: all packets are retransmitted.
  HEDDLE_FN void on_timeout() {
    lows = 0;
    timing = false;
    again = until;
  }

 private:
  HEDDLE_FN void sample(TimePs round_trip_ps) {
    const TimePs r = round_trip_ps < kMaxRoundTripPs ? round_trip_ps : kMaxRoundTripPs;
    rtt_ps = r > rtt_ps ? r : rtt_ps - (rtt_ps - r) / 8;
  }
};

struct ReceiverPlan {
  EndpointId src = kNone;  // global
  u16 sender_number = 0;
  u16 entropy = 0;
  u32 first_message = 0, messages = 0;
  u32 connection = kNone;
  u32 scaling_index = 0;
  u16 answer_class = 0;  // class of ACK, NAK and CNP
  u16 cts_class = 0;     // class of CTSs and their answers
  u32 tcp = kNone;       // index of the TCP connection, or RoCE
};

struct Receiver {
  u32 expected = 0;  // next PSN
  u32 message = 0;   // ordinal in the QP
  u32 unacked = 0;   // in-order packets since the last ACK
  bool nak_sent = false;
  bool cnp_sent = false;
  TimePs last_cnp_ps = 0;
};

/// Entry of the timer heap: the sender may become ready at due_ps (an estimate that is never too late).
struct Timer {
  TimePs due_ps;
  u32 sender;  // number at its NIC
};

/// A slow receiver's buffer (MODEL.md, 6.7).
struct SlowNic {
  u32 drain_ps_per_byte_q16 = 0;  // 0: not slow
  TimePs free_ps = 0;
  Fifo buffer;               // packets with the times at which they are drained
  TimePs drain_ps = kNever;  // time of the first packet
};

/// What a port of a NIC may send.
struct NicPort {
  u32 last_served = 0;          // sender number; starts so that sender 0 is first
  u32 ready[kMaxClasses] = {};  // senders in the ready set, per class
  u32 ready_classes = 0;        // mask of the classes with any
  u32 control_classes = 0;      // during a pass: mask of the classes in which control packets wait
};

struct Nic {
  TimePs timer_ps = kNever;      // when the first timer of the heap is due
  TimePs rto_bound_ps = kNever;  // no RTO is due before this time
  TimePs work_due_ps = kNever;   // when the first delayed work of its GPU is due (Gpu::first_due_ps)
  u32 timers = 0;                // entries of the heap
  u32 failed_qp = kNone;         // ran out of RTO tries (FailedQp::number)
  TimePs failed_ps = kNever;
  TimePs ack_bound_ps = kNever;  // no delayed ACK of TCP is due before this time; kNever: there is none
  u32 acks_delayed = 0;          // TCP receivers with one
  u32 outstanding = 0;           // senders with unacknowledged packets
  u32 port_instant = 0;          // next index of Failing::port_instant
  bool published = false;        // its last pass published on a cable: packets sent or taken, or a pause
  u64 line_bps = 0;              // at which a queue pair can send
  NicPort first_port;
  u32 line_gap_wire_bytes = 0;  // packet size that line_gap_ps was computed for, 0: unknown
  TimePs line_gap_ps = 0;       // pace at line rate
  SlowNic slow;
};

/// A message that waits for another message, or for a batch to be taken; or a batch that waits for a message.
struct WaitingMessage {
  u32 message = 0;     // MessageWaits::messages + batch: a batch
  u32 sender = 0;      // its queue pair at the NIC that knows when what it waits for is done; of a batch: its GPU
  TimePs post_ps = 0;  // delay of the post after that
};

/// Waits between messages; only in a World that has some (Settings::messages_wait). Batches of programs are among them
/// (MODEL.md, 9.14): such a one waits for being taken, and for messages.
struct MessageWaits {
  u32 messages = 0;
  // [2 * messages + batches + 1] what waits for message m to be acknowledged: at 2 m, to be received: at 2 m + 1; for
  // batch b to be taken: at 2 * messages + b
  const u32* first = nullptr;
  const WaitingMessage* waiting = nullptr;
  u32* left = nullptr;          // [messages + batches] of how many it still waits for the end
  TimePs* posted_ps = nullptr;  // [messages + batches] post time of a message that waits; when a GPU knows that its
                                // batch has ended; -1: not yet
};

/// Logs of explicit messages at the two ends; each end writes its own array.
struct MessageLog {
  const u64* bytes = nullptr;
  const TimePs* available_ps = nullptr;  // kNever: it follows from MessageWaits
  SentMessage* sent = nullptr;
  ReceivedMessage* received = nullptr;
};

struct Endpoints {
  Nic* nic = nullptr;                     // [endpoints] local
  NicPort* more_ports = nullptr;          // [links of endpoints - endpoints] all but the first of every NIC
  const EndpointId* id = nullptr;         // [endpoints] global number
  const u32* first_sender = nullptr;      // [endpoints + 1]
  const u32* first_receiver = nullptr;    // [endpoints + 1]
  const u32* first_ready_word = nullptr;  // [endpoints + 1] 64 senders a word, bitmaps by port, then class (without 0)
  u64* ready = nullptr;
  Timer* timers = nullptr;                   // [senders] heap of endpoint e starts at first_sender[e]
  const u32* first_sender_plan = nullptr;    // [endpoints + 1]
  const u32* first_receiver_plan = nullptr;  // [endpoints + 1]
  const SenderPlan* sender_plan = nullptr;   // of endpoints without all pairs
  Sender* sender = nullptr;                  // [senders] all zero until used
  CongestionControls::Arrays control;
  const ReceiverPlan* receiver_plan = nullptr;  // of endpoints without all pairs
  Receiver* receiver = nullptr;                 // [receivers] all zero until used
  // Selective repeat only; sets are bits of each queue pair's window (state/psn_set.hpp).
  LowTimer* low_timer = nullptr;  // [senders] all zero until used
  u64* repeat = nullptr;          // [senders * window / 64] PSNs of [una, next) to retransmit
  u64* placed = nullptr;          // [receivers * window / 64] PSNs received beyond the expected packet
  u64* placed_last = nullptr;     // [receivers * window / 64] the last packets of messages among placed
  u32* seen_end = nullptr;        // [receivers] the PSN after the highest received
  TcpConnections tcp;
  MessageLog message;
  MessageWaits waits;
};

}  // namespace heddle
