// The parameters of the machine that a GPU's collective library depends on, declared beside the settings they fill.
#pragma once

#include <array>

#include "kernels/base/parameter.hpp"
#include "kernels/base/units.hpp"
#include "kernels/world/collective.hpp"

namespace heddle {

/// [collective]: the same for all GPUs.
struct CollectiveOptions {
  u64 copy_bytes_per_s = 1'000'000'000'000;
  u64 copy_computing_bytes_per_s = 0;
  u64 channel_bytes_per_s = 0, ll_channel_bytes_per_s = 0, ll128_channel_bytes_per_s = 0, nvls_channel_bytes_per_s = 0;
  u64 nvlink_bytes_per_s = 370'000'000'000;
  double nvls_efficiency = 0.85;
  TimePs nvlink_latency_ps = 700'000;
  TimePs post_latency_ps = 2'700'000;
  TimePs ll128_post_latency_ps = 1'200'000;
  TimePs nvls_post_latency_ps = 8'500'000;
  TimePs launch_latency_ps = 6'600'000;
  TimePs p2p_latency_ps = 0;
  TimePs flush_latency_ps = 2'000'000;
};

inline const std::array kCollectiveParameters = {
    Parameter<CollectiveOptions>{.key = "copy_rate",
                                 .field = &CollectiveOptions::copy_bytes_per_s,
                                 .quantity = Quantity::bytes_per_s,
                                 .min = 1e8,
                                 .max = 1e14,
                                 .help = "copy and reduce kernel of a GPU, all channels together",
                                 .source = "engineering judgement: a few thread blocks on an H100"},
    Parameter<CollectiveOptions>{.key = "copy_rate_computing",
                                 .field = &CollectiveOptions::copy_computing_bytes_per_s,
                                 .quantity = Quantity::bytes_per_s,
                                 .max = 1e14,
                                 .help = "the same for copies that start while a computation of the GPU's program "
                                         "runs, which takes SMs and memory from them; 0 = copy_rate",
                                 .source = "0: nobody has published by how much"},
    Parameter<CollectiveOptions>{.key = "channel_rate",
                                 .field = &CollectiveOptions::channel_bytes_per_s,
                                 .quantity = Quantity::bytes_per_s,
                                 .max = 1e14,
                                 .help = "what one channel, a thread block, copies and reduces by the simple protocol; "
                                         "the two directions of a tree share it; 0 = no bound but copy_rate",
                                 .source = "collective.host; NCCL's tuner has 20.7 GB/s for Hopper"},
    Parameter<CollectiveOptions>{.key = "ll_channel_rate",
                                 .field = &CollectiveOptions::ll_channel_bytes_per_s,
                                 .quantity = Quantity::bytes_per_s,
                                 .max = 1e14,
                                 .help = "the same by LL, in bytes of data; in a tree either direction has it",
                                 .source = "collective.host: fitted to configs/hardware/measured"},
    Parameter<CollectiveOptions>{.key = "ll128_channel_rate",
                                 .field = &CollectiveOptions::ll128_channel_bytes_per_s,
                                 .quantity = Quantity::bytes_per_s,
                                 .max = 1e14,
                                 .help = "the same by LL128",
                                 .source = "collective.host; NCCL's tuner has 18.35 GB/s for Hopper"},
    Parameter<CollectiveOptions>{.key = "nvls_channel_rate",
                                 .field = &CollectiveOptions::nvls_channel_bytes_per_s,
                                 .quantity = Quantity::bytes_per_s,
                                 .max = 1e14,
                                 .help = "the same for what the switch of a server reduces or multicasts; the parts "
                                         "of all its heads, the GPUs with a NIC, share it",
                                 .source = "collective.host: fitted to configs/hardware/measured"},
    Parameter<CollectiveOptions>{.key = "nvlink_rate",
                                 .field = &CollectiveOptions::nvlink_bytes_per_s,
                                 .quantity = Quantity::bytes_per_s,
                                 .min = 1e8,
                                 .max = 1e14,
                                 .help = "NVLink of a GPU, each direction",
                                 .source = "H100: 18 links x 20.6 GB/s (NCCL, src/graph/topo.h); none: 370 GB/s"},
    Parameter<CollectiveOptions>{.key = "nvls_efficiency",
                                 .field = &CollectiveOptions::nvls_efficiency,
                                 .quantity = Quantity::ratio,
                                 .min = 0.01,
                                 .max = 1,
                                 .help =
                                     "job.algorithm = nvls: the part of nvlink_rate at which the switch of a server "
                                     "reduces and multicasts",
                                 .source = "NCCL's tuner: 0.85 for Hopper, 0.74 for Blackwell"},
    Parameter<CollectiveOptions>{
        .key = "nvlink_latency",
        .field = &CollectiveOptions::nvlink_latency_ps,
        .quantity = Quantity::time_ps,
        .min = 1000,
        .max = 1e12,
        .help = "NVLink and NVSwitch crossing, and of the credits that come back",
        .source = "collective.host: fitted to h100_16; none: NCCL's tuner, 0.6 to 1.08 us for a hop without a fence"},
    Parameter<CollectiveOptions>{.key = "post_latency",
                                 .field = &CollectiveOptions::post_latency_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 1e12,
                                 .help = "from the end of a copy until the next GPU or the proxy sees it: the barriers "
                                         "and the fence of the simple protocol",
                                 .source = "NCCL's tuner: 3.4 us for an NVLink hop (ring, Simple), less 0.7"},
    Parameter<CollectiveOptions>{.key = "ll128_post_latency",
                                 .field = &CollectiveOptions::ll128_post_latency_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 1e12,
                                 .help = "the same for LL128; LL has none",
                                 .source = "NCCL's tuner: 1.9 us for an NVLink hop (ring, LL128), less 0.7"},
    Parameter<CollectiveOptions>{.key = "nvls_post_latency",
                                 .field = &CollectiveOptions::nvls_post_latency_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 1e12,
                                 .help = "the same for what the switch of a server reduces or multicasts, whose GPUs "
                                         "have to agree that all are there",
                                 .source = "collective.host: fitted to h20_16_nvls; none: NCCL's tuner, 25 us for an "
                                           "all-reduce in a server, less launch, halved, less 0.7"},
    Parameter<CollectiveOptions>{.key = "launch_latency",
                                 .field = &CollectiveOptions::launch_latency_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 1e12,
                                 .help = "once a collective, at every rank: the kernel's launch",
                                 .source = "NCCL's tuner: 6.6 us (ring, LL); a100, mi300, mi355x: fitted"},
    Parameter<CollectiveOptions>{.key = "p2p_latency",
                                 .field = &CollectiveOptions::p2p_latency_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 1e12,
                                 .help = "more than launch_latency, once a collective that travels by send/recv",
                                 .source = "judgement: small all-to-alls take 38 to 47 us, of NCCL and RCCL"},
    Parameter<CollectiveOptions>{.key = "flush_latency",
                                 .field = &CollectiveOptions::flush_latency_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 1e12,
                                 .help = "from the proxy's notice of received data until the GPU may read it (simple): "
                                         "NCCL reads it back through the NIC",
                                 .source = "engineering judgement: an RDMA read through the own NIC takes about 2 us"},
};

/// The settings in the simulator's fixed point.
inline CollectiveSettings collective_settings_of(const CollectiveOptions& o) {
  // 1 B/s = 8 bit/s; the rates that the table allows stay far below 2^63 bit/s
  const u64 computing = o.copy_computing_bytes_per_s == 0 ? o.copy_bytes_per_s : o.copy_computing_bytes_per_s;
  const auto bound = [](u64 bytes_per_s) { return bytes_per_s == 0 ? 0 : ps_per_byte_q16_of(bytes_per_s * 8); };
  return {.copy_ps_per_byte_q16 = ps_per_byte_q16_of(o.copy_bytes_per_s * 8),
          .copy_computing_ps_per_byte_q16 = ps_per_byte_q16_of(computing * 8),
          .nvlink_ps_per_byte_q16 = ps_per_byte_q16_of(o.nvlink_bytes_per_s * 8),
          .nvls_ps_per_byte_q16 =
              ps_per_byte_q16_of(static_cast<u64>(static_cast<double>(o.nvlink_bytes_per_s) * o.nvls_efficiency) * 8),
          .nvlink_latency_ps = o.nvlink_latency_ps,
          .post_latency_ps = {o.post_latency_ps, 0, o.ll128_post_latency_ps, o.nvls_post_latency_ps},
          .channel_ps_per_byte_q16 = {bound(o.channel_bytes_per_s), bound(o.ll_channel_bytes_per_s),
                                      bound(o.ll128_channel_bytes_per_s), bound(o.nvls_channel_bytes_per_s)},
          .launch_latency_ps = o.launch_latency_ps,
          .p2p_latency_ps = o.p2p_latency_ps,
          .flush_latency_ps = o.flush_latency_ps};
}

}  // namespace heddle
