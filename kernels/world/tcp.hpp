// TCP as plain settings (MODEL.md, 8.11).
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// What moves the data of a class.
enum class Transport : u8 { roce = 0, tcp = 1 };

/// How TCP reacts to marks and losses, and grows.
enum class TcpControl : u8 { new_reno = 0, dctcp = 1, cubic = 2 };

/// What makes a TCP sender take a segment for lost: three SACKed ones behind it (RFC 6675), or time (RACK: RFC 8985).
enum class TcpLossDetection : u8 { dup_threshold = 0, rack = 1 };

struct TcpSettings {
  TcpControl control = TcpControl::new_reno;
  TcpLossDetection loss_detection = TcpLossDetection::dup_threshold;
  u32 segment_bytes = 1448;      // payload of a full segment
  u32 overhead_wire_bytes = 90;  // headers + gap of data, and all of an ACK
  u32 initial_window_segments = 10;
  u32 window_segments = 4096;  // receive window, a power of two
  u32 ack_every_segments = 2;  // segments in order per ACK
  TimePs ack_delay_ps = 40'000'000'000;
  TimePs rto_initial_ps = 1'000'000'000'000;
  TimePs rto_min_ps = 200'000'000'000;
  TimePs rto_max_ps = 120'000'000'000'000;
  u32 growth_limit_segments = 0;  // the window grows by no more acknowledged segments per ACK; 0: no limit
  u32 retries = 15;               // timeouts in a row before the connection fails
  bool pacing = false;            // segments leave spread over a round trip
  u32 burst_segments = 1;         // so many leave one after the other, at line rate
};

inline constexpr u32 kMinTcpWindowSegments = 64, kMaxTcpWindowSegments = 65536;
/// So many SACKed segments above one make it lost (RFC 6675: DupThresh).
inline constexpr u32 kTcpDuplicates = 3;
/// The clock's granularity G of RFC 6298.
inline constexpr TimePs kTcpGranularityPs = 1'000'000'000;
inline constexpr u32 kTcpMaxBackoff = 16;
inline constexpr u32 kTcpNoThreshold = 1u << 31;  // ssthresh at first
/// A paced window leaves in 1/2 of a round trip in slow start, and in 1/1.2 of it in avoidance (Linux:
/// tcp_pacing_ss_ratio, tcp_pacing_ca_ratio).
inline constexpr u32 kTcpPacingSlowStartPercent = 200, kTcpPacingPercent = 120;
inline constexpr u32 kDctcpOneQ10 = 1024;
/// RACK waits by quarters of the least round trip: one more for each round trip with duplicates, at most so many; after
/// so many recoveries without a duplicate one again (RFC 8985, 6.2).
inline constexpr u32 kRackMaxQuarters = 1000, kRackRecoveries = 16;

/// Describes what is wrong with the settings; empty if nothing.
inline const char* problem_of_tcp(const TcpSettings& tcp) {
  const u32 window = tcp.window_segments;
  if (window < kMinTcpWindowSegments || window > kMaxTcpWindowSegments || (window & (window - 1)) != 0)
    return "tcp.window_segments must be a power of two from 64 to 65536: receivers keep a bit for each segment";
  if (tcp.initial_window_segments == 0 || tcp.initial_window_segments > window)
    return "tcp.initial_window_segments must be at least 1 and at most tcp.window_segments: no more may be on the way";
  if (tcp.ack_every_segments == 0) return "tcp.ack_every_segments must be at least 1: an ACK is for segments that came";
  if (tcp.burst_segments == 0) return "tcp.burst_segments must be at least 1: a segment that leaves is a burst of one";
  if (tcp.rto_initial_ps <= 0) return "tcp.rto_initial must be more than 0: segments would time out as they start";
  if (tcp.rto_min_ps <= 0)
    return "tcp.rto_min must be more than 0: tcp.rto_max may be as little, and segments would time out as they start";
  if (tcp.rto_min_ps > tcp.rto_max_ps) return "tcp.rto_min is more than tcp.rto_max: no timeout could meet both";
  return "";
}

}  // namespace heddle
