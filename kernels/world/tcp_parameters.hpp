// The parameters of TCP, declared beside the settings they fill.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/world/tcp.hpp"

namespace heddle {

/// [tcp], of classes with transport = "tcp". Wire bytes count preamble, gap and FCS.
inline const std::array kTcpParameters = {
    Parameter<TcpSettings>{.key = "segment",
                           .field = &TcpSettings::segment_bytes,
                           .quantity = Quantity::bytes,
                           .min = 64,
                           .max = 9600,
                           .help = "payload of a full segment",
                           .source = "MTU of 1,500 B less IPv4 20 + TCP 20 + time stamps 12; jumbo frames: 8,948 B"},
    Parameter<TcpSettings>{.key = "overhead",
                           .field = &TcpSettings::overhead_wire_bytes,
                           .quantity = Quantity::bytes,
                           .min = 42,
                           .max = 512,
                           .help = "headers, FCS, preamble and gap of a segment on the wire, and all of an ACK",
                           .source =
                               "IPv4 20 + TCP 20 + time stamps 12 + Eth 14 + FCS 4 + 20 (IPv6: 110 B; without "
                               "time stamps: 78 B, the least of Ethernet); least: IPv4 20 + TCP 20 + PPP 2, as on "
                               "ns-3's point-to-point links"},
    Parameter<TcpSettings>{.key = "initial_window_segments",
                           .field = &TcpSettings::initial_window_segments,
                           .min = 1,
                           .max = kMaxTcpWindowSegments,
                           .help = "congestion window at first, and after a time without traffic longer than the RTO",
                           .source = "RFC 6928: 10; RFC 5681, 4.1: after idleness"},
    Parameter<TcpSettings>{.key = "window_segments",
                           .field = &TcpSettings::window_segments,
                           .min = kMinTcpWindowSegments,
                           .max = kMaxTcpWindowSegments,
                           .help = "receive window: a receiver keeps what lies so far ahead of a missing segment, and "
                                   "no more are on their way at once; a power of two",
                           .source = "Linux: tcp_rmem of 6 MiB, some 4,096 segments"},
    Parameter<TcpSettings>{.key = "ack_every_segments",
                           .field = &TcpSettings::ack_every_segments,
                           .min = 1,
                           .max = 65535,
                           .help = "segments in order per ACK; out of order, each causes a selective ACK (RFC 6675)",
                           .source = "RFC 5681, 4.2: every second full segment"},
    Parameter<TcpSettings>{
        .key = "ack_delay",
        .field = &TcpSettings::ack_delay_ps,
        .quantity = Quantity::time_ps,
        .min = 1,
        .max = 1e12,
        .help = "a segment for which no ACK is due is acknowledged after this time; the last one of a message at "
                "once",
        .source = "Linux: 40 ms (TCP_DELACK_MIN); RFC 5681: at most 500 ms"},
    Parameter<TcpSettings>{.key = "rto_initial",
                           .field = &TcpSettings::rto_initial_ps,
                           .quantity = Quantity::time_ps,
                           .min = 1e6,
                           .max = 1e15,
                           .help = "retransmission timeout before the first sample of a round trip",
                           .source = "RFC 6298: 1 s"},
    Parameter<TcpSettings>{
        .key = "rto_min",
        .field = &TcpSettings::rto_min_ps,
        .quantity = Quantity::time_ps,
        .min = 1e6,
        .max = 1e15,
        .help = "least retransmission timeout; it is never less than the smoothed round trip plus 1 ms",
        .source = "Linux: 200 ms (TCP_RTO_MIN); RFC 6298: 1 s; DCTCP's data centres: 10 ms"},
    Parameter<TcpSettings>{.key = "rto_max",
                           .field = &TcpSettings::rto_max_ps,
                           .quantity = Quantity::time_ps,
                           .min = 1e6,
                           .max = 1e15,
                           .help = "longest retransmission timeout: each in a row is twice the one before",
                           .source = "Linux: 120 s (TCP_RTO_MAX); RFC 6298: at least 60 s"},
    Parameter<TcpSettings>{.key = "growth_limit_segments",
                           .field = &TcpSettings::growth_limit_segments,
                           .max = kMaxTcpWindowSegments,
                           .help = "the congestion window grows by no more acknowledged segments per ACK; 0: no limit",
                           .source = "Linux: none; RFC 5681: 1 (it counts ACKs); RFC 3465: 2"},
    Parameter<TcpSettings>{.key = "pacing",
                           .field = &TcpSettings::pacing,
                           .help =
                               "true: a window is spread over a round trip: it leaves at 2 windows a smoothed round "
                               "trip in slow start, and at 1.2 afterwards; false: when ACKs let it",
                           .source = "Linux: off without the queueing discipline fq; its ratios of 200 and 120 %"},
    Parameter<TcpSettings>{.key = "burst_segments",
                           .field = &TcpSettings::burst_segments,
                           .min = 1,
                           .max = 4096,
                           .help =
                               "a connection that may send keeps its NIC's turn for so many segments, which leave at "
                               "line rate, as where the NIC cuts them, unless a packet of another class passes the "
                               "turn on; 1: connections take turns segment by segment",
                           .source = "Linux: 64 KiB with segmentation offload, 44 or 45 segments"},
    Parameter<TcpSettings>{.key = "retries",
                           .field = &TcpSettings::retries,
                           .max = 254,
                           .help = "timeouts in a row before the connection fails and the run ends",
                           .source = "Linux: tcp_retries2 = 15"},
};

/// [tcp] as a configuration writes it: the parameters that are words.
struct TcpOptions {
  std::string control = "new_reno";
  std::string loss_detection = "dup_threshold";
};

inline const std::array kTcpOptionParameters = {
    Parameter<TcpOptions>{.key = "control",
                          .field = &TcpOptions::control,
                          .choices = "new_reno|cubic|dctcp",
                          .help = "new_reno: a loss, or a mark, halves the congestion window; cubic: leaves 0.7 of it, "
                                  "and it grows by a cubic of time where that is more; dctcp: marks reduce it by half "
                                  "the share of marked segments",
                          .source = "RFC 5681, with RFC 6675 and 6937 for recovery; RFC 9438, Linux' default: CUBIC; "
                                    "RFC 8257: DCTCP"},
    Parameter<TcpOptions>{
        .key = "loss_detection",
        .field = &TcpOptions::loss_detection,
        .choices = "dup_threshold|rack",
        .help = "dup_threshold: a segment is lost when three behind it have been selectively acknowledged; rack: once "
                "segments have come out of order, when it is late by a quarter of the least round trip, or more where "
                "segments were retransmitted needlessly",
        .source = "RFC 6675; RFC 8985, Linux' default: RACK"},
};

/// The control of a word that the table above allows.
inline TcpControl tcp_control_of(std::string_view word) {
  return word == "dctcp" ? TcpControl::dctcp : word == "cubic" ? TcpControl::cubic : TcpControl::new_reno;
}
inline TcpLossDetection loss_detection_of(std::string_view word) {
  return word == "rack" ? TcpLossDetection::rack : TcpLossDetection::dup_threshold;
}

}  // namespace heddle
