// The parameters of the RoCE transport and of DCQCN, declared beside the settings they fill.
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
                            .max = 8192,
                            .help = "payload of a full packet",
                            .source = "Meta SIGCOMM'24; IB specification"},
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
                            .help = "ACK or NAK on the wire",
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
    Parameter<RoceSettings>{.key = "rto",
                            .field = &RoceSettings::rto_ps,
                            .quantity = Quantity::time_ps,
                            .min = 1e6,
                            .max = 1e15,
                            .help = "retransmission timeout since the last progress",
                            .source = "engineering judgement"},
    Parameter<RoceSettings>{.key = "rto_tries",
                            .field = &RoceSettings::rto_tries,
                            .min = 1,
                            .max = 254,
                            .help = "timeouts in a row before the QP fails and the run ends",
                            .source = "IB specification: 3-bit retry count, at most 7"},
    Parameter<RoceSettings>{.key = "ack_at_drain",
                            .field = &RoceSettings::ack_at_drain,
                            .help = "a slow NIC answers when it has drained a packet instead of at receipt",
                            .source = "engineering judgement: at receipt"},
    Parameter<RoceSettings>{.key = "ack_high_priority",
                            .field = &RoceSettings::ack_high_priority,
                            .help = "ACKs, NAKs and CNPs pass all data, in class control; false: they travel in the "
                                    "class of the data they answer, wait behind it in switches and are paused with it",
                            .source = "HPCC ns-3: ACK_HIGH_PRIO (of hosts; its switches: 0); htsim: false"},
    Parameter<RoceSettings>{.key = "reorder_window_packets",
                            .field = &RoceSettings::reorder_window_packets,
                            .min = kLeastReorderWindowPackets,
                            .max = kMostReorderWindowPackets,
                            .help = "a receiver keeps track of so many packets from the one it expects on, and no "
                                    "more are on their way at once; a power of two",
                            .source = "engineering judgement: 86 us of 4 KiB packets at 400G",
                            .only_with = "recovery=selective_repeat"},
    Parameter<RoceSettings>{.key = "reorder_distance_packets",
                            .field = &RoceSettings::reorder_distance_packets,
                            .min = 1,
                            .max = kMostReorderWindowPackets,
                            .help = "a missing packet is taken for lost, and asked for again, when one has come whose "
                                    "PSN is so much higher; less than the window",
                            .source = "engineering judgement: 5 us of 4 KiB packets at 400G",
                            .only_with = "recovery=selective_repeat"},
};

/// [roce] as a configuration writes it, the part that is a word.
struct RoceOptions {
  std::string recovery = "go_back_n";
};

inline const std::array kRoceOptionParameters = {
    Parameter<RoceOptions>{.key = "recovery",
                           .field = &RoceOptions::recovery,
                           .choices = "go_back_n|selective_repeat",
                           .help =
                               "go_back_n: packets that come out of order are discarded; selective_repeat: they are "
                               "placed where they belong, and only what is missing is sent again",
                           .source = "RoCEv2 NICs; selective repeat as with NVIDIA out-of-order data placement, IRN "
                                     "(SIGCOMM 2018)"},
};

/// The recovery of a word that the table above allows.
inline Recovery recovery_of(std::string_view word) {
  return word == "selective_repeat" ? Recovery::selective_repeat : Recovery::go_back_n;
}

/// [dcqcn], after the preset. Rates of the preset `hpcc` are already scaled to the line here.
inline const std::array kDcqcnParameters = {
    Parameter<DcqcnSettings>{.key = "enabled",
                             .field = &DcqcnSettings::enabled,
                             .help = "end-to-end congestion control; Meta runs 400G without it",
                             .source = "Meta SIGCOMM'24"},
    Parameter<DcqcnSettings>{.key = "g_1024",
                             .field = &DcqcnSettings::g_q10,
                             .min = 1,
                             .max = 1023,
                             .help = "gain of alpha in 1/1024: alpha = (1-g) alpha + g",
                             .source = "DOCA 5/1024; HPCC and DCQCN 2015 1/256"},
    Parameter<DcqcnSettings>{.key = "alpha_period",
                             .field = &DcqcnSettings::alpha_period_ps,
                             .quantity = Quantity::time_ps,
                             .min = 1000,
                             .max = 1e12,
                             .help = "between two updates of alpha",
                             .source = "DOCA 1 us; HPCC 1 us; DCQCN 2015 55 us"},
    Parameter<DcqcnSettings>{.key = "decrease_period",
                             .field = &DcqcnSettings::decrease_period_ps,
                             .quantity = Quantity::time_ps,
                             .min = 1000,
                             .max = 1e12,
                             .help = "at most one rate cut in this time",
                             .source = "DOCA 4 us; HPCC 4 us; DCQCN 2015 50 us"},
    Parameter<DcqcnSettings>{.key = "increase_period",
                             .field = &DcqcnSettings::increase_period_ps,
                             .quantity = Quantity::time_ps,
                             .min = 1000,
                             .max = 1e13,
                             .help = "of the rate increase timer",
                             .source = "DOCA 300 us; HPCC 300 us; DCQCN 2015 55 us"},
    Parameter<DcqcnSettings>{.key = "byte_counter",
                             .field = &DcqcnSettings::byte_counter_bytes,
                             .quantity = Quantity::bytes,
                             .max = 1e15,
                             .help = "bytes between two increases by volume; 0 = none",
                             .source = "DOCA 32767 (unit disputed, read as 64 B); HPCC none; DCQCN 2015 10 MB"},
    Parameter<DcqcnSettings>{.key = "fast_recovery_stages",
                             .field = &DcqcnSettings::fast_recovery_stages,
                             .max = 1000,
                             .help = "increases that only go half way back to the target (F)",
                             .source = "DOCA 1; HPCC 1; DCQCN 2015 5"},
    Parameter<DcqcnSettings>{.key = "rate_ai",
                             .field = &DcqcnSettings::rate_ai_bps,
                             .quantity = Quantity::bits_per_s,
                             .max = 1e13,
                             .help = "additive increase of the target",
                             .source = "DOCA 5 Mb/s; HPCC 5 Mb/s per 25G; DCQCN 2015 40 Mb/s"},
    Parameter<DcqcnSettings>{.key = "rate_hai",
                             .field = &DcqcnSettings::rate_hai_bps,
                             .quantity = Quantity::bits_per_s,
                             .max = 1e13,
                             .help = "hyper increase of the target",
                             .source = "DOCA 50 Mb/s; HPCC 50 Mb/s per 25G; DCQCN 2015 does without"},
    Parameter<DcqcnSettings>{.key = "min_rate",
                             .field = &DcqcnSettings::min_rate_bps,
                             .quantity = Quantity::bits_per_s,
                             .min = 1,
                             .max = 1e13,
                             .help = "no cut goes below; at most the line rate",
                             .source = "DOCA 1 Mb/s; HPCC 1 Gb/s"},
    Parameter<DcqcnSettings>{.key = "cnp_gap",
                             .field = &DcqcnSettings::cnp_gap_ps,
                             .quantity = Quantity::time_ps,
                             .max = 1e12,
                             .help = "receiver: least time between two CNPs of a QP; 0 = one per marked packet",
                             .source = "DOCA 4 us; HPCC every ACK; DCQCN 2015 50 us"},
    Parameter<DcqcnSettings>{.key = "clamp_target",
                             .field = &DcqcnSettings::clamp_target,
                             .help = "every cut sets the target, not only the first after an increase",
                             .source = "DOCA and HPCC: off"},
    Parameter<DcqcnSettings>{.key = "pace_follows_rate",
                             .field = &DcqcnSettings::pace_follows_rate,
                             .help =
                                 "the wait for a packet's pace changes with the rate while it lasts; false: it stays "
                                 "as the rate at the last start set it",
                             .source = "engineering judgement: on; HPCC ns-3: off"},
};

/// Named sets of DCQCN parameters, each with its source.
inline constexpr std::string_view kDcqcnPresets = "connectx|hpcc|paper";

/// The settings of a preset for NICs of `line_bps`; `enabled` stays false. The name must be one of kDcqcnPresets.
inline DcqcnSettings dcqcn_preset(std::string_view name, u64 line_bps) {
  DcqcnSettings s;  // the initialisers are ConnectX firmware's, without its byte counter
  if (name == "connectx") {
    // 32767 units, disputed whether of 1 or 64 B. Read as 64 B (2 MB, 42 us at 400G): 32 KB would raise the rate every
    // 0.66 us and make the 300 us timer pointless.
    s.byte_counter_bytes = 32767 * 64;
  } else if (name == "hpcc") {
    const u64 scale = line_bps / 25'000'000'000ull > 0 ? line_bps / 25'000'000'000ull : 1;
    s.g_q10 = 4;
    s.rate_ai_bps *= scale;
    s.rate_hai_bps *= scale;
    s.min_rate_bps = 1'000'000'000;
    s.cnp_gap_ps = 0;
  } else if (name == "paper") {
    s.g_q10 = 4;
    s.alpha_period_ps = 55'000'000;
    s.decrease_period_ps = 50'000'000;
    s.increase_period_ps = 55'000'000;
    s.byte_counter_bytes = 10'000'000;
    s.fast_recovery_stages = 5;
    s.rate_ai_bps = 40'000'000;
    s.rate_hai_bps = 40'000'000;  // the paper gives no value: hyper increase is not distinguished
    s.cnp_gap_ps = 50'000'000;
  }
  return s;
}

}  // namespace heddle
