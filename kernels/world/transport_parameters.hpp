// The parameters of the RoCE transport, declared beside the settings they fill.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// [roce]. Wire bytes count preamble, gap and FCS; RoCEv2 over IPv6 unless changed.
inline const std::array kRoceParameters = {
    Parameter<RoceSettings>{.key = "mtu",
                            .field = &RoceSettings::mtu_bytes,
                            .quantity = Quantity::bytes,
                            .min = 64,
                            .max = 9600,
                            .help = "payload of a full packet",
                            .source = "Meta SIGCOMM'24: 4 KiB; IB specification; SimAI: 9,000 B, a jumbo frame"},
    Parameter<RoceSettings>{.key = "data_overhead",
                            .field = &RoceSettings::data_overhead_wire_bytes,
                            .quantity = Quantity::bytes,
                            .min = 20,
                            .max = 512,
                            .help = "headers, FCS, preamble and gap of a data packet on the wire",
                            .source = "Eth 14 + IPv6 40 + UDP 8 + BTH 12 + ICRC 4 + FCS 4 + 20 (IPv4: 82 B)"},
    Parameter<RoceSettings>{.key = "reth",
                            .field = &RoceSettings::reth_bytes,
                            .quantity = Quantity::bytes,
                            .max = 64,
                            .help = "more on the first packet of a message (RDMA WRITE)",
                            .source = "IB specification: RETH"},
    Parameter<RoceSettings>{.key = "ack_wire",
                            .field = &RoceSettings::ack_wire_bytes,
                            .quantity = Quantity::bytes,
                            .min = 21,
                            .max = 1024,
                            .help = "ACK or NAK on the wire, of data or of a CTS",
                            .source = "IPv6 102 B + AETH 4 B"},
    Parameter<RoceSettings>{.key = "cnp_wire",
                            .field = &RoceSettings::cnp_wire_bytes,
                            .quantity = Quantity::bytes,
                            .min = 21,
                            .max = 1024,
                            .help = "congestion notification packet on the wire",
                            .source = "IPv6 102 B + 16 B reserved"},
    Parameter<RoceSettings>{.key = "cts_wire",
                            .field = &RoceSettings::cts_wire_bytes,
                            .quantity = Quantity::bytes,
                            .min = 21,
                            .max = 1024,
                            .help = "clear to send (a small RDMA WRITE) on the wire",
                            .source = "IPv6 102 B + RETH 16 B + 64 B payload (NCCL)"},
    Parameter<RoceSettings>{.key = "ack_every",
                            .field = &RoceSettings::ack_every,
                            .min = 1,
                            .max = 65535,
                            .help = "in-order packets per ACK; 1 = every packet, as other simulators do",
                            .source = "engineering judgement"},
    Parameter<RoceSettings>{.key = "window_packets",
                            .field = &RoceSettings::window_packets,
                            .max = kPsnWindowPackets,
                            .help = "outstanding packets of a QP; 0 = 8388607, all that 24-bit PSNs can tell apart",
                            .source = "RoCE NICs rely on PFC; IB specification: half of the PSN space"},
    Parameter<RoceSettings>{.key = "posting_delay",
                            .field = &RoceSettings::posting_delay_ps,
                            .quantity = Quantity::time_ps,
                            .max = 1e12,
                            .help = "from posting a message to its first possible start",
                            .source = "0: folded into the NIC"},
    Parameter<RoceSettings>{.key = "proxy_latency",
                            .field = &RoceSettings::proxy_latency_ps,
                            .quantity = Quantity::time_ps,
                            .min = 1,
                            .max = 1e12,
                            .help = "the host's proxy: CTS creation and completion polling",
                            .source = "engineering judgement; NCCL proxy thread"},
    Parameter<RoceSettings>{.key = "proxy_service",
                            .field = &RoceSettings::proxy_service_ps,
                            .quantity = Quantity::time_ps,
                            .max = 1e12,
                            .help = "the least time between two CTSs or slices that a GPU's proxy posts; 0: any number "
                                    "at once",
                            .source = "collective.host: fitted to configs/hardware/measured"},
    Parameter<RoceSettings>{
        .key = "rto",
        .field = &RoceSettings::rto_ps,
        .quantity = Quantity::time_ps,
        .max = 1e15,
        .help =
            "retransmission timeout since the last progress of a QP, for its data and for the CTSs of its receiver; "
            "0: no timer, so what no NAK reports is lost for good",
        .source = "of roce.timers; HPCC's ns-3: no timer; NICs with adaptive retransmission are faster"},
    Parameter<RoceSettings>{
        .key = "rto_tries",
        .field = &RoceSettings::rto_tries,
        .min = 1,
        .max = 254,
        .help = "timeouts in a row, of its data or of its receiver's CTSs, before the QP fails and the run ends",
        .source = "of roce.timers; IB specification: 3-bit retry count, at most 7"},
    Parameter<RoceSettings>{
        .key = "rto_low",
        .field = &RoceSettings::rto_low_ps,
        .quantity = Quantity::time_ps,
        .max = 1e12,
        .help =
            "a sender that has had no progress and has sent nothing for this long, or for two round trips if that "
            "is more, retransmits its first unacknowledged packet, and a receiver its first unanswered CTS; doubled "
            "each time, at most 10 times in a row; 0: never",
        .source = "engineering judgement, after IRN's RTO_low (SIGCOMM 2018); the two round trips: RFC 8985, 7.2",
        .only_with = "recovery=selective_repeat"},
    Parameter<RoceSettings>{.key = "ack_at_drain",
                            .field = &RoceSettings::ack_at_drain,
                            .help = "a slow NIC answers when it has drained a packet instead of at receipt",
                            .source = "engineering judgement: at receipt"},
    Parameter<RoceSettings>{.key = "ack_high_priority",
                            .field = &RoceSettings::ack_high_priority,
                            .help = "ACKs, NAKs and CNPs pass all data, in class control; false: they travel in the "
                                    "class of the data they answer, wait behind it in switches and are paused with it",
                            .source = "HPCC ns-3: ACK_HIGH_PRIO (of hosts; its switches: 0); htsim: false"},
    Parameter<RoceSettings>{.key = "cts_high_priority",
                            .field = &RoceSettings::cts_high_priority,
                            .help = "CTSs and their answers pass all data, in class control; false: they travel in the "
                                    "class of the data, wait behind it in switches and are paused with it",
                            .source = "Meta SIGCOMM'24: control messages have a queue of high priority"},
    Parameter<RoceSettings>{.key = "reorder_window_packets",
                            .field = &RoceSettings::reorder_window_packets,
                            .min = kMinReorderWindowPackets,
                            .max = kMaxReorderWindowPackets,
                            .help = "a receiver keeps track of so many packets from the one it expects on, and no "
                                    "more are on their way at once; a power of two",
                            .source = "engineering judgement: 86 us of 4 KiB packets at 400G",
                            .only_with = "recovery=selective_repeat"},
    Parameter<RoceSettings>{.key = "reorder_distance_packets",
                            .field = &RoceSettings::reorder_distance_packets,
                            .min = 1,
                            .max = kMaxReorderWindowPackets,
                            .help = "a missing packet is taken for lost, and asked for again, when one has come whose "
                                    "PSN is so much higher; less than the window",
                            .source = "engineering judgement: 5 us of 4 KiB packets at 400G",
                            .only_with = "recovery=selective_repeat"},
};

/// [roce] as a configuration writes it: parameters that are words.
struct RoceOptions {
  std::string port_choice = "per_qp";
  std::string recovery = "go_back_n";
  std::string timers = "nccl";
};

/// A named pair of roce.rto and roce.rto_tries.
struct TimeoutPreset {
  std::string_view name;
  TimePs rto_ps;
  u32 rto_tries;
};

inline constexpr TimeoutPreset kTimeoutPresets[] = {
    {"nccl", nccl_timeout_ps(20), 7}, {"nccl_2_14", nccl_timeout_ps(18), 7}, {"short", 4'000'000'000, 7}};

/// "nccl|nccl_2_14|short"
inline const std::string kTimeoutPresetWords = [] {
  std::string words;
  for (const TimeoutPreset& preset : kTimeoutPresets) words.append(words.empty() ? "" : "|").append(preset.name);
  return words;
}();

inline const std::array kRoceOptionParameters = {
    Parameter<RoceOptions>{.key = "timers",
                           .field = &RoceOptions::timers,
                           .choices = kTimeoutPresetWords,
                           .help =
                               "where roce.rto and roce.rto_tries start from; each may be set beside it. nccl: 4.295 "
                               "s (4.096 us * 2^20) and 7; nccl_2_14: 1.074 s (2^18) and 7; short: 4 ms and 7",
                           .source = "nccl: NCCL_IB_TIMEOUT 20 and NCCL_IB_RETRY_CNT 7, defaults since NCCL 2.23; "
                                     "nccl_2_14: 18 from 2.14 to 2.22 (NCCL user guide, net_ib.cc); short: engineering "
                                     "judgement"},
    Parameter<RoceOptions>{
        .key = "port_choice",
        .field = &RoceOptions::port_choice,
        .choices = "per_qp|per_packet",
        .help = "of NICs with several ports. per_qp: queue pairs use the ports in turn, each one port, "
                "and the next one while that is out of service; per_packet: every packet takes "
                "whichever port in service is free first, so packets overtake each other",
        .source = "per_qp: HPN (SIGCOMM 2024), and NCCL, where a connection has a queue pair on each port "
                  "(net_ib.cc); per_packet: NICs with multiplane load balancing"},
    Parameter<RoceOptions>{.key = "recovery",
                           .field = &RoceOptions::recovery,
                           .choices = "go_back_n|selective_repeat",
                           .help =
                               "go_back_n: packets that come out of order are discarded; selective_repeat: they are "
                               "placed where they belong, and only what is missing is sent again",
                           .source = "RoCEv2 NICs; selective repeat as with NVIDIA out-of-order data placement, IRN "
                                     "(SIGCOMM 2018)"},
};

/// The choice of a word that the table above allows.
inline PortChoice port_choice_of(std::string_view word) {
  return word == "per_packet" ? PortChoice::per_packet : PortChoice::per_qp;
}

/// The recovery of a word that the table above allows.
inline Recovery recovery_of(std::string_view word) {
  return word == "selective_repeat" ? Recovery::selective_repeat : Recovery::go_back_n;
}

}  // namespace heddle
