// Configuration of buffers, pausing and marking: [buffer.rtsw|ctsw|atsw], [pfc] and [ecn].
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// [buffer.TIER]: the packet memory of the switches of one tier. The star's switch and every imported switch with
/// endpoints on it are RTSWs here. All sizes count frame bytes (wire bytes less 20).
struct BufferOptions {
  std::string kind = "shared";
  u64 bytes = 119'223'028;
  u32 pools = 2;
  double alpha = 0.125;
  u64 reserve_bytes = 4096;
  u64 xoff_bytes = 0;
  u64 xon_bytes = 0;
  u64 headroom_bytes = 0;
  u32 cell_bytes = 1;
};

/// Tomahawk 4: 113.7 MiB (469,382 cells of 254 B) in two halves; FBOSS.
inline BufferOptions rtsw_buffer_defaults() { return {}; }
/// Deep-buffer chassis: every port owns its 500 MB; Meta SIGCOMM'24.
inline BufferOptions ctsw_buffer_defaults() { return {.kind = "static", .bytes = 500'000'000, .pools = 1}; }
/// The values of the CTSW, as no source has others.
inline BufferOptions atsw_buffer_defaults() { return ctsw_buffer_defaults(); }
/// Any switch of an imported fabric: its file has no chassis, so all switches are chips.
inline BufferOptions imported_buffer_defaults() { return rtsw_buffer_defaults(); }

/// Accounts count bytes in 31 bits, and so do memories with thresholds; a switch has at most 64 of them.
inline constexpr double kMaxAccountBytes = 2'147'483'647, kMaxPools = 64;

inline const std::array kBufferParameters = {
    Parameter<BufferOptions>{.key = "kind",
                             .field = &BufferOptions::kind,
                             .choices = "shared|static",
                             .help = "shared: XOFF = alpha * free memory, every epoch; static: every port owns `bytes`",
                             .source = "FBOSS (Tomahawk 4: shared); Meta SIGCOMM'24 (CTSW: static)"},
    Parameter<BufferOptions>{.key = "bytes",
                             .field = &BufferOptions::bytes,
                             .quantity = Quantity::bytes,
                             .min = 1,
                             .max = kMaxPools * kMaxAccountBytes,
                             .help =
                                 "shared: of the whole switch, less than 2 GiB a pool, also times alpha; static: of "
                                 "each port, less than 2 GiB a lossless class. All switches of an imported fabric have "
                                 "the defaults of [buffer.rtsw]",
                             .source = "FBOSS: 113.7 MiB, 254 B cells; Meta SIGCOMM'24: 500 MB per 400G port"},
    Parameter<BufferOptions>{.key = "pools",
                             .field = &BufferOptions::pools,
                             .min = 1,
                             .max = kMaxPools,
                             .help = "shared: equal parts of the memory; port p uses part p mod pools",
                             .source = "FBOSS: Tomahawk 4 has two halves",
                             .only_with = "kind=shared"},
    Parameter<BufferOptions>{.key = "alpha",
                             .field = &BufferOptions::alpha,
                             .quantity = Quantity::ratio,
                             .min = 0.0001,
                             .max = 64,
                             .help = "shared: share of the free memory that one ingress may use",
                             .source = "HPCC ns-3: 1/8",
                             .only_with = "kind=shared"},
    Parameter<BufferOptions>{.key = "reserve",
                             .field = &BufferOptions::reserve_bytes,
                             .quantity = Quantity::bytes,
                             .max = kMaxAccountBytes,
                             .help = "shared: each (ingress, lossless class) owns so much, kept out of what thresholds "
                                     "divide",
                             .source = "HPCC ns-3: 4 KiB",
                             .only_with = "kind=shared"},
    Parameter<BufferOptions>{.key = "xoff",
                             .field = &BufferOptions::xoff_bytes,
                             .quantity = Quantity::bytes,
                             .max = kMaxAccountBytes,
                             .help = "static: pause at this occupancy of one ingress; 0 = bytes less headroom",
                             .source = "derived",
                             .only_with = "kind=static"},
    Parameter<BufferOptions>{.key = "xon",
                             .field = &BufferOptions::xon_bytes,
                             .quantity = Quantity::bytes,
                             .max = kMaxAccountBytes,
                             .help = "static: resume at this occupancy; 0 = 3 KiB below xoff",
                             .source = "HPCC ns-3: 3 KiB below",
                             .only_with = "kind=static"},
    Parameter<BufferOptions>{.key = "headroom",
                             .field = &BufferOptions::headroom_bytes,
                             .quantity = Quantity::bytes,
                             .max = kMaxAccountBytes,
                             .help = "accepted beyond XOFF by each (ingress, class); 0 = computed for each link; less "
                                     "than that is refused unless pfc.allow_unsafe_headroom",
                             .source = "kernels/MODEL.md, 6.5"},
    Parameter<BufferOptions>{.key = "cell",
                             .field = &BufferOptions::cell_bytes,
                             .quantity = Quantity::bytes,
                             .min = 1,
                             .max = 16384,
                             .help =
                                 "memory is handed out in cells: queues, thresholds and limits count whole cells of "
                                 "each packet; 1 B = exact",
                             .source = "engineering judgement: exact; FBOSS: Tomahawk 4 has cells of 254 B"},
};

/// [pfc]
struct PfcOptions {
  bool standard_response = true;
  TimePs response_ps = 0;
  bool allow_unsafe_headroom = false;
  TimePs watchdog_ps = 0;
};

inline const std::array kPfcParameters = {
    Parameter<PfcOptions>{.key = "standard_response",
                          .field = &PfcOptions::standard_response,
                          .help = "a pause frame acts after the standard's response time for the link's speed "
                                  "(905 quanta, 1.158 us at 400G); false: after `response`",
                          .source = "IEEE 802.3 31B.3.7; SONiC headroom plugin"},
    Parameter<PfcOptions>{.key = "response",
                          .field = &PfcOptions::response_ps,
                          .quantity = Quantity::time_ps,
                          .max = 1e12,
                          .help = "response time when standard_response is false",
                          .source = "replays of other simulators' runs: 0",
                          .only_with = "standard_response=false"},
    Parameter<PfcOptions>{.key = "allow_unsafe_headroom",
                          .field = &PfcOptions::allow_unsafe_headroom,
                          .help = "run although a headroom is smaller than what can arrive; overruns are counted",
                          .source = "for studies of too small headrooms"},
    Parameter<PfcOptions>{.key = "watchdog",
                          .field = &PfcOptions::watchdog_ps,
                          .quantity = Quantity::time_ps,
                          .max = 1e15,
                          .help =
                              "a switch queue that has been paused for so long is emptied and drops what comes until "
                              "its pause ends; 0 = never (Meta: 200 ms)",
                          .source = "engineering judgement: off; Meta SIGCOMM'24: 200 ms"},
};

/// [ecn]: marking thresholds of switch egresses, in frame bytes.
struct EcnOptions {
  bool enabled = true;
  u64 kmin_bytes = 800'000;
  u64 kmax_bytes = 3'200'000;
  double pmax = 0.2;
  bool scale_with_rate = true;
  u64 reference_bits_per_s = 400'000'000'000;
  bool at_arrival = false;
  std::vector<std::string> tiers = {"rtsw", "ctsw", "atsw"};
};

inline constexpr std::string_view kEcnSource = "SimAI and ASTRA-sim's ns-3 configurations: 800/3200 KB, 0.2 at 400G";

inline const std::array kEcnParameters = {
    Parameter<EcnOptions>{.key = "enabled",
                          .field = &EcnOptions::enabled,
                          .help = "switches mark at all",
                          .source = "kernels/MODEL.md, 5.3"},
    Parameter<EcnOptions>{.key = "kmin",
                          .field = &EcnOptions::kmin_bytes,
                          .quantity = Quantity::bytes,
                          .max = 4e9,
                          .help = "never marked up to this queue",
                          .source = kEcnSource},
    Parameter<EcnOptions>{.key = "kmax",
                          .field = &EcnOptions::kmax_bytes,
                          .quantity = Quantity::bytes,
                          .min = 1,
                          .max = 4e9,
                          .help = "always marked beyond this queue; at least kmin",
                          .source = kEcnSource},
    Parameter<EcnOptions>{.key = "pmax",
                          .field = &EcnOptions::pmax,
                          .quantity = Quantity::ratio,
                          .min = 0,
                          .max = 1,
                          .help = "marking probability at kmax",
                          .source = kEcnSource},
    Parameter<EcnOptions>{.key = "scale_with_rate",
                          .field = &EcnOptions::scale_with_rate,
                          .help = "thresholds of a port = value * port rate / reference_rate",
                          .source = "HPCC ns-3 scales linearly per 25G"},
    Parameter<EcnOptions>{.key = "reference_rate",
                          .field = &EcnOptions::reference_bits_per_s,
                          .quantity = Quantity::bits_per_s,
                          .min = 1e9,
                          .max = 1e13,
                          .help = "rate that kmin and kmax are given for",
                          .source = kEcnSource},
    Parameter<EcnOptions>{.key = "at_arrival",
                          .field = &EcnOptions::at_arrival,
                          .help = "mark when a packet joins the queue instead of when it leaves",
                          .source = "kernels/MODEL.md, 5.3: at departure"},
    Parameter<EcnOptions>{.key = "tiers",
                          .field = &EcnOptions::tiers,
                          .choices = "rtsw|ctsw|atsw",
                          .help = "which switches mark",
                          .source = "engineering judgement: all"},
};

}  // namespace heddle
