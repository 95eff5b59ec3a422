// State of TCP connections (MODEL.md, 8.11).
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/world/tcp.hpp"

namespace heddle {

HEDDLE_FN bool psn_before(u32 a, u32 b) { return static_cast<i32>(a - b) < 0; }
HEDDLE_FN u32 later_psn(u32 a, u32 b) { return psn_before(a, b) ? b : a; }

/// The sending end of a TCP connection, beside its Sender, of which `next` is the end of what has been sent. No PSN
/// here is before `una`, so that all compare mod 2^32, but those of `highest`.
struct TcpSender {
  u32 cwnd = 0, count = 0, ssthresh = 0;  // segments; cwnd 0: nothing happened yet (start)
  u32 sacked = 0;                         // segments of [una, next) that SACKs named
  u32 missing = 0;                        // segments that are lost and not yet retransmitted
  u32 again = 0, lost = 0;                // retransmitted up to, lost up to
  u32 recover = 0;                        // recovery ends here
  u32 highest[kTcpDuplicates] = {};       // the highest PSNs that SACKs named, the highest first
  u32 named = 0;                          // so many of them there are
  u32 prr_delivered = 0, prr_out = 0, prr_from = 0;
  u32 reduced = 0;  // where the last reduction saw the end; one before una, if that was long ago
  u32 alpha_q10 = 0, window_delivered = 0, window_ce = 0, window_end = 0;  // of DCTCP
  u32 w_max = 0, w_prior = 0, cubic_origin = 0, cubic_k = 0;               // of CUBIC; k in 1/1024 s
  TimePs epoch_ps = kNever;                                                // begin of its epoch, kNever: none
  u64 w_est_q20 = 0;                                                       // segments of New Reno's growth
  u32 timed_psn = 0;
  TimePs timed_ps = 0;                // start of the segment that is timed
  TimePs srtt_ps = 0, rttvar_ps = 0;  // srtt 0: not measured yet
  TimePs pace_ps = 0;                 // no burst begins before it
  u32 burst_left = 0;                 // segments that may still leave in the present burst
  TimePs min_rtt_ps = 0;              // RACK uses this, and the following; 0: not measured yet
  TimePs reorder_due_ps =
      kNever;  // reordering timer: what is missing before reorder_end is lost then; kNever: it does not run
  u32 reorder_end = 0;
  u32 rack_quarters = 0;    // of the least round trip: how long segments that are out of order are awaited
  u32 rack_recoveries = 0;  // until the wait is one quarter again
  u32 rack_round = 0;       // no further duplicate lengthens the wait before una is here
  u8 backoff = 0;
  bool fast = false;       // in fast recovery
  bool timing = false;     // a segment is timed
  bool reordered = false;  // a segment has come out of order

  HEDDLE_FN bool started() const { return cwnd != 0; }
  HEDDLE_FN void start(const TcpSettings& tcp) {
    cwnd = tcp.initial_window_segments;
    ssthresh = kTcpNoThreshold;
    alpha_q10 = kDctcpOneQ10;
    reduced = ~0u;  // before all PSNs
    rack_quarters = 1;
  }
};

/// The receiving end, beside its Receiver.
struct TcpReceiver {
  u32 pending = 0;         // segments received in order and not acknowledged
  u32 placed = 0;          // segments beyond the expected one
  u32 port = 0;            // by which the last data came
  bool ce = false;         // whether it was marked
  TimePs ack_ps = kNever;  // of the delayed ACK
  HEDDLE_FN bool used() const { return pending != 0 || placed != 0 || port != 0 || ce; }
};

/// [connections] of this part, in order of endpoint and queue pair; words of bitmaps by connection, then window.
struct TcpConnections {
  TcpSender* sender = nullptr;
  u64* sacked = nullptr;
  TcpReceiver* receiver = nullptr;
  u64* placed = nullptr;
  u64* placed_last = nullptr;  // the last segments of messages among placed
};

}  // namespace heddle
