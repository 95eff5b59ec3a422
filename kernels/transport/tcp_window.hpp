// How many segments a TCP connection may have on the way: slow start, avoidance, fast recovery, marks, round trips
// (MODEL.md, 8.11). Pure arithmetic on TcpSender.
#pragma once

#include "kernels/state/tcp.hpp"
#include "kernels/transport/tcp_cubic.hpp"

namespace heddle {

/// What an answer says besides its PSN.
struct TcpAnswer {
  bool sack;   // it names a segment that has come; otherwise the one that is expected
  bool dsack;  // a SACK that names a duplicate (RFC 2883)
  bool ece;
};

/// What one ACK or SACK has told a sender.
struct TcpNews {
  u32 flight = 0;     // pipe before it
  u32 delivered = 0;  // segments that are newly known to have come
  u32 acked = 0;      // those of them that an ACK named; 0: una did not advance, as SACKs never name una
  bool ece = false;
};

HEDDLE_FN u32 at_least_two(u32 segments) { return segments < 2 ? 2 : segments; }

/// Sets ssthresh to what a reduction leaves of `segments`: half, or more of CUBIC's, which notes its window before.
HEDDLE_FN void tcp_keep_part(const TcpSettings& tcp, TcpSender& c, u32 segments) {
  if (tcp.control == TcpControl::cubic) {
    cubic_note_window(c);
    c.ssthresh = at_least_two(static_cast<u32>((kCubicKeptQ10 * segments) >> 10));
  } else {
    c.ssthresh = at_least_two(segments / 2);
  }
}

/// The retransmission timeout, without backoff.
HEDDLE_FN TimePs tcp_rto_ps(const TcpSettings& tcp, const TcpSender& c) {
  if (c.srtt_ps == 0) return tcp.rto_initial_ps;
  const TimePs spread = 4 * c.rttvar_ps > kTcpGranularityPs ? 4 * c.rttvar_ps : kTcpGranularityPs;
  return c.srtt_ps + spread > tcp.rto_min_ps ? c.srtt_ps + spread : tcp.rto_min_ps;
}

/// The timeout that is running now.
HEDDLE_FN TimePs tcp_present_rto_ps(const TcpSettings& tcp, const TcpSender& c) {
  const TimePs rto = tcp_rto_ps(tcp, c);
  return rto > (tcp.rto_max_ps >> c.backoff) ? tcp.rto_max_ps : rto << c.backoff;
}

/// RFC 6298, of a sample of a round trip.
HEDDLE_FN void tcp_sample(TcpSender& c, TimePs round_trip_ps) {
  if (c.min_rtt_ps == 0 || round_trip_ps < c.min_rtt_ps) c.min_rtt_ps = round_trip_ps;
  if (c.srtt_ps == 0) {
    c.srtt_ps = round_trip_ps;
    c.rttvar_ps = round_trip_ps / 2;
    return;
  }
  const TimePs error = round_trip_ps - c.srtt_ps, size = error < 0 ? -error : error;
  c.srtt_ps += error >> 3;
  c.rttvar_ps += (size - c.rttvar_ps) >> 2;
}

/// How long a paced burst is behind the start of a segment with so much payload; `pipe`: with that segment.
HEDDLE_FN TimePs tcp_pace_gap_ps(const TcpSettings& tcp, const TcpSender& c, u32 pipe, u32 payload_bytes) {
  const u32 window = c.cwnd > pipe ? c.cwnd : pipe;
  const u32 percent = 2 * u64{c.cwnd} < c.ssthresh ? kTcpPacingSlowStartPercent : kTcpPacingPercent;
  return c.srtt_ps * 100 / (TimePs{percent} * window) * payload_bytes / tcp.segment_bytes;
}

/// Reacts to marks once a window. `end` is the end of what has been sent.
HEDDLE_FN void tcp_react(const TcpSettings& tcp, TcpSender& c, u32 una, u32 end, const TcpNews& news) {
  if (tcp.control == TcpControl::dctcp) {
    c.window_delivered += news.delivered;
    if (news.ece) c.window_ce += news.delivered;
    if (!psn_before(una, c.window_end)) {
      const u32 decay = c.alpha_q10 >> 4;
      c.alpha_q10 = decay == 0 ? 0 : c.alpha_q10 - decay;
      const u64 marked = (u64{c.window_ce} << 6) / (c.window_delivered == 0 ? 1 : c.window_delivered);
      c.alpha_q10 = c.alpha_q10 + marked > kDctcpOneQ10 ? kDctcpOneQ10 : c.alpha_q10 + static_cast<u32>(marked);
      c.window_delivered = c.window_ce = 0;
      c.window_end = end;
    }
  }
  if (!news.ece || c.fast || !psn_before(c.reduced, una)) return;
  if (tcp.control == TcpControl::dctcp) {
    c.ssthresh = at_least_two(c.cwnd - static_cast<u32>((u64{c.cwnd} * c.alpha_q10) >> 11));
  } else {
    tcp_keep_part(tcp, c, c.cwnd);
  }
  c.cwnd = c.ssthresh;
  c.count = 0;
  c.reduced = end;
}

HEDDLE_FN void tcp_begin_fast_recovery(const TcpSettings& tcp, TcpSender& c, u32 una, u32 end) {
  c.fast = true;
  if (psn_before(una, c.reduced)) {
    c.ssthresh = c.cwnd;
  } else {
    tcp_keep_part(tcp, c, end - una - c.sacked);
  }
  c.prr_from = end - una;
  c.prr_delivered = c.prr_out = 0;
  c.recover = c.reduced = end;
  c.timing = false;
}

/// Proportional rate reduction (RFC 6937).
HEDDLE_FN void tcp_reduce(TcpSender& c, u32 pipe, u32 delivered) {
  c.prr_delivered += delivered;
  i64 room;
  if (pipe > c.ssthresh) {
    room = static_cast<i64>((u64{c.prr_delivered} * c.ssthresh + c.prr_from - 1) / c.prr_from) - c.prr_out;
  } else {
    const i64 owed = i64{c.prr_delivered} - c.prr_out, gap = i64{c.ssthresh} - pipe;
    room = (owed > delivered ? owed : i64{delivered}) + 1;
    room = gap < room ? gap : room;
  }
  const i64 least = c.prr_out == 0 ? 1 : 0;
  c.cwnd = pipe + static_cast<u32>(room < least ? least : room);
}

/// Slow start, then avoidance, of a window that is in use (RFC 7661), at t.
HEDDLE_FN void tcp_grow(const TcpSettings& tcp, TcpSender& c, const TcpNews& news, TimePs t) {
  if (news.acked == 0 || news.ece || 2 * u64{news.flight} < c.cwnd) return;
  const u32 limit = tcp.growth_limit_segments;
  u32 left = limit != 0 && news.acked > limit ? limit : news.acked;
  if (c.cwnd < c.ssthresh) {
    const u32 room = c.ssthresh - c.cwnd, step = left < room ? left : room;
    c.cwnd += step;
    left -= step;
  }
  if (tcp.control == TcpControl::cubic) {
    cubic_grow(c, left, t);
  } else {
    c.count += left;
    for (; c.count >= c.cwnd; ++c.cwnd) c.count -= c.cwnd;
  }
  if (c.cwnd > tcp.window_segments) c.cwnd = tcp.window_segments;
}

}  // namespace heddle
