// State of an endpoint's TCP connections. Bitmaps are saved where they hold something.
#pragma once

#include "kernels/restart/fields.hpp"

namespace heddle {

template <class A>
void fields(A& a, TcpSender& s) {
  a(s.cwnd, s.count, s.ssthresh, s.sacked, s.missing, s.again, s.lost, s.recover, s.named, s.prr_delivered, s.prr_out,
    s.prr_from, s.reduced, s.alpha_q10, s.window_delivered, s.window_ce, s.window_end, s.w_max, s.w_prior,
    s.cubic_origin, s.cubic_k, s.epoch_ps, s.w_est_q20, s.timed_psn, s.timed_ps, s.srtt_ps, s.rttvar_ps, s.pace_ps,
    s.burst_left, s.min_rtt_ps, s.reorder_due_ps, s.reorder_end, s.rack_quarters, s.rack_recoveries, s.rack_round,
    s.backoff, s.fast, s.timing, s.reordered);
  for (u32& psn : s.highest) a(psn);
}

template <class A>
void fields(A& a, TcpReceiver& s) {
  a(s.pending, s.placed, s.port, s.ce, s.ack_ps);
}

/// The words of a bitmap of which `any` says whether it holds something.
template <class A>
void bitmap_fields(A& a, u64* words, u32 count, bool any) {
  for (u32 w = 0; w < count; ++w) {
    if (any) {
      a(words[w]);
    } else if constexpr (A::kLoads) {
      words[w] = 0;
    }
  }
}

template <class A>
void tcp_fields(A& a, const View& v, u32 e) {
  if (!v.settings.any_tcp) return;
  const TcpConnections& tcp = v.endpoint.tcp;
  const u32 words = v.settings.tcp.window_segments / 64;
  for (u32 i = v.endpoint.first_sender_plan[e]; i < v.endpoint.first_sender_plan[e + 1]; ++i) {
    const u32 c = v.endpoint.sender_plan[i].tcp;
    if (c == kNone) continue;
    fields(a, tcp.sender[c]);
    bitmap_fields(a, tcp.sacked + u64{c} * words, words, tcp.sender[c].sacked != 0);
  }
  for (u32 i = v.endpoint.first_receiver_plan[e]; i < v.endpoint.first_receiver_plan[e + 1]; ++i) {
    const u32 c = v.endpoint.receiver_plan[i].tcp;
    if (c == kNone) continue;
    fields(a, tcp.receiver[c]);
    bitmap_fields(a, tcp.placed + u64{c} * words, words, tcp.receiver[c].placed != 0);
    bitmap_fields(a, tcp.placed_last + u64{c} * words, words, tcp.receiver[c].placed != 0);
  }
}

}  // namespace heddle
