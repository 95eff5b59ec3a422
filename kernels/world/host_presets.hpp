// What servers of a kind and their collective library take: where [collective], the proxies of [roce] and the GPU of
// a [[job]] start from.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/world/collective_parameters.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// A kind of servers. "tuner": src/graph/tuning.cc of NCCL 2.28, whose rates are those of two thread blocks.
/// "fitted": to a table of configs/hardware/measured, for want of a published number.
struct HostPreset {
  std::string_view name;
  CollectiveOptions collective;
  std::string_view gpu = "hopper";  // job.gpu
  bool nvls = true;                 // job.nvls
  TimePs proxy_latency_ps = RoceSettings().proxy_latency_ps, proxy_service_ps = 0;
};

inline constexpr CollectiveOptions kHopper = {
    .channel_bytes_per_s = 20'700'000'000,        // tuner: a tree over two servers, 41.4 GB/s
    .ll_channel_bytes_per_s = 14'000'000'000,     // fitted: h100_16, 4 to 128 KiB
    .ll128_channel_bytes_per_s = 18'350'000'000,  // tuner: 36.7 GB/s
    .nvls_channel_bytes_per_s = 36'000'000'000,   // fitted: h100_16, 4 to 64 MiB
    .nvlink_bytes_per_s = 370'800'000'000,        // NCCL src/graph/topo.h: 18 links of 20.6 GB/s
    .nvlink_latency_ps = 800'000,                 // fitted: h100_16, 8 B
    .nvls_post_latency_ps = 10'000'000,           // fitted: h20_16_nvls
    .p2p_latency_ps = 25'000'000,                 // judgement: small all-to-alls take 38 to 47 us (NCCL and RCCL)
};

inline constexpr CollectiveOptions kBlackwell = [] {
  CollectiveOptions o = kHopper;                 // and nothing of it is tested
  o.channel_bytes_per_s = 21'400'000'000;        // tuner: 42.8 GB/s
  o.ll128_channel_bytes_per_s = 20'000'000'000;  // tuner: 40 GB/s
  o.nvlink_bytes_per_s = 721'800'000'000;        // topo.h: 18 links of 40.1 GB/s
  o.nvls_efficiency = 0.74;                      // tuner
  return o;
}();

inline constexpr CollectiveOptions kAmpere = {
    .channel_bytes_per_s = 11'800'000'000,        // tuner: a tree over two servers, 23.6 GB/s
    .ll_channel_bytes_per_s = 14'000'000'000,     // as h100
    .ll128_channel_bytes_per_s = 10'000'000'000,  // tuner: 20 GB/s
    .nvlink_bytes_per_s = 240'000'000'000,        // topo.h: 12 links of 20 GB/s
    .nvlink_latency_ps = 1'000'000,               // fitted: a100_16_others, 8 B
    .launch_latency_ps = 12'600'000,              // fitted: a100_16_others, 8 B
    .p2p_latency_ps = 25'000'000,                 // as h100
};

inline constexpr CollectiveOptions kInstinct = {
    .nvlink_bytes_per_s = 336'000'000'000,  // RCCL src/graph/topo.h: 7 xGMI links of 48 GB/s, here as through a switch
    .launch_latency_ps = 20'600'000,        // fitted: mi355x_16 all_reduce, 16 B, and right for all_to_all
};

/// 1 us of latency is NCCL's getNetOverhead for Intel; 0.5 us of service is fitted to h100_40_ring.
inline constexpr TimePs kProxyLatencyPs = 1'000'000, kProxyServicePs = 500'000;

inline constexpr HostPreset kHostPresets[] = {
    {"none", {}},
    {"h100", kHopper, "hopper", true, kProxyLatencyPs, kProxyServicePs},
    {"h200", kHopper, "hopper", true, kProxyLatencyPs, kProxyServicePs},
    {"gb200", kBlackwell, "hopper", true, kProxyLatencyPs, kProxyServicePs},
    {"a100", kAmpere, "ampere", false, kProxyLatencyPs, kProxyServicePs},
    // RCCL's tuner has tables of its own, which are not here
    {"mi300", kInstinct, "hopper", false, kProxyLatencyPs, kProxyServicePs},  // untested: as mi355x, with links as fast
    {"mi355x", kInstinct, "hopper", false, kProxyLatencyPs, kProxyServicePs},
};

/// "none|h100|...", the choices of a parameter.
inline const std::string kHostPresetWords = [] {
  std::string words;
  for (const HostPreset& preset : kHostPresets) words.append(words.empty() ? "" : "|").append(preset.name);
  return words;
}();

/// [collective] as a configuration writes it: the word that the others start from.
struct HostOptions {
  std::string host = "h100";
};

inline const std::array kHostParameters = {
    Parameter<HostOptions>{.key = "host",
                           .field = &HostOptions::host,
                           .choices = kHostPresetWords,
                           .help = "the servers and their library, where [collective], roce.proxy_latency, "
                                   "roce.proxy_service, job.gpu and job.nvls start from; each may be set beside it",
                           .source = "kernels/world/host_presets.hpp has the source of each number, or the table that "
                                     "it was fitted to. Meta SIGCOMM'24: H100. none: NCCL's latencies, and no "
                                     "bound on a channel"},
};

/// The transport's settings with the proxies of these servers.
inline RoceSettings roce_of(const HostPreset& host) {
  RoceSettings roce;
  roce.proxy_latency_ps = host.proxy_latency_ps;
  roce.proxy_service_ps = host.proxy_service_ps;
  return roce;
}

/// The preset of a word that the table above allows.
inline const HostPreset& host_preset(std::string_view word) {
  const HostPreset* preset = kHostPresets;
  while (preset->name != word) ++preset;
  return *preset;
}

}  // namespace heddle
