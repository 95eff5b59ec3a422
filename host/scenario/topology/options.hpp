// Configuration of the fabric's shape, cables and pipelines: [topology], [link] and [latency].
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/scenario/topology/dimension.hpp"
#include "host/scenario/topology/kinds.hpp"
#include "io/formats/formats.hpp"
#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// [topology]: which fabric, and the dimensions of those of zones. Each kind reads only the dimensions that its help
/// names.
struct TopologyOptions {
  std::string kind = "ai_zone";
  u32 hosts = 16;
  u32 zones = 8;
  u32 racks = 256;
  u32 gpus_per_rack = 16;
  u32 ctsws = 18;
  u32 uplinks_per_rtsw = 18;
  u32 atsws = 28;
  u32 uplinks_per_ctsw = 28;
  std::string file;
  u32 first_hosts = 0;
  std::vector<DimensionValue> values = default_dimensions();  // of kinds with a section of their own
};

inline const std::string kTopologyKinds = built_topologies() + "|" + format_words("topology.kind");
inline const std::string kTopologyKindHelp = built_topologies_help() + format_helps("topology.kind");
inline const std::string kOnlyImported = "kind=" + format_words("topology.kind");

inline const std::array kTopologyParameters = {
    Parameter<TopologyOptions>{.key = "kind",
                               .field = &TopologyOptions::kind,
                               .choices = kTopologyKinds,
                               .help = kTopologyKindHelp,
                               .source = "Meta SIGCOMM'24"},
    Parameter<TopologyOptions>{.key = "hosts",
                               .field = &TopologyOptions::hosts,
                               .min = 2,
                               .max = 4096,
                               .help = "star: endpoints on the switch",
                               .source = "engineering judgement",
                               .only_with = "kind=star"},
    Parameter<TopologyOptions>{.key = "zones",
                               .field = &TopologyOptions::zones,
                               .min = 1,
                               .max = 4096,
                               .help = "multi_zone: AI Zones (pods)",
                               .source = "Llama 3, 3.3.1: 8 pods",
                               .only_with = "kind=multi_zone"},
    Parameter<TopologyOptions>{.key = "racks",
                               .field = &TopologyOptions::racks,
                               .min = 1,
                               .max = 4096,
                               .help = "ai_zone, multi_zone: racks of each zone, one RTSW each",
                               .source = "Meta SIGCOMM'24: 4,096 GPUs a zone; Llama 3, 3.3.1: 192 racks a pod",
                               .only_with = "kind=ai_zone|multi_zone"},
    Parameter<TopologyOptions>{.key = "gpus_per_rack",
                               .field = &TopologyOptions::gpus_per_rack,
                               .min = 1,
                               .max = 4095,
                               .help = "ai_zone, multi_zone: GPUs, and so NICs, on each RTSW",
                               .source = "Llama 3, 3.3.1: 2 servers of 8 GPUs",
                               .only_with = "kind=ai_zone|multi_zone"},
    Parameter<TopologyOptions>{.key = "ctsws",
                               .field = &TopologyOptions::ctsws,
                               .min = 1,
                               .max = 4095,
                               .help = "ai_zone, multi_zone: CTSWs of each zone",
                               .source = "Meta SIGCOMM'24: one uplink of each RTSW to each CTSW",
                               .only_with = "kind=ai_zone|multi_zone"},
    Parameter<TopologyOptions>{.key = "uplinks_per_rtsw",
                               .field = &TopologyOptions::uplinks_per_rtsw,
                               .min = 1,
                               .max = 4095,
                               .help = "ai_zone, multi_zone: spread over the CTSWs in turn; more than ctsws: parallel "
                                       "links; oversubscription is gpus_per_rack : uplinks_per_rtsw at equal rates",
                               .source = "Meta SIGCOMM'24: 16 down, 18 up (1:1.125)",
                               .only_with = "kind=ai_zone|multi_zone"},
    Parameter<TopologyOptions>{.key = "atsws",
                               .field = &TopologyOptions::atsws,
                               .min = 1,
                               .max = 4095,
                               .help = "multi_zone: ATSWs above all zones",
                               .source = "Llama 3, 3.3.1 (derived)",
                               .only_with = "kind=multi_zone"},
    Parameter<TopologyOptions>{.key = "uplinks_per_ctsw",
                               .field = &TopologyOptions::uplinks_per_ctsw,
                               .min = 1,
                               .max = 4095,
                               .help = "multi_zone: spread over the ATSWs in turn; fewer than atsws: planes, CTSW c of "
                                       "every zone on the same ATSWs",
                               .source = "Llama 3, 3.3.1: 1:7 oversubscribed",
                               .only_with = "kind=multi_zone"},
    Parameter<TopologyOptions>{.key = "file",
                               .field = &TopologyOptions::file,
                               .help = "the file of kinds that have one",
                               .source = "none",
                               .only_with = kOnlyImported},
    Parameter<TopologyOptions>{.key = "first_hosts",
                               .field = &TopologyOptions::first_hosts,
                               .max = 1048575,
                               .help =
                                   "hpcc: keep so many hosts, those of the least node ids, and leave out the others "
                                   "with their links; 0 = all, and the first line must declare every link",
                               .source = "HPCC ns-3 reads what the first line declares",
                               .only_with = "kind=hpcc"},
};

/// What links and latencies belong to; of other topologies a file says both. Those of a tier that is not there are let
/// be: sweeps over kinds of zones share them.
inline const std::string kBuilt = "topology.kind=" + built_topologies();
inline const std::string kOfZones = "topology.kind=" + topologies_of_zones();

/// [link]: rates and cables. Propagation is 5 ns/m of cable.
struct LinkOptions {
  u64 host_bits_per_s = 400'000'000'000;
  u64 rtsw_ctsw_bits_per_s = 400'000'000'000;
  u64 ctsw_atsw_bits_per_s = 400'000'000'000;
  TimePs host_propagation_ps = 15'000;
  TimePs rtsw_ctsw_propagation_ps = 500'000;
  TimePs ctsw_atsw_propagation_ps = 1'250'000;
  bool whole_nanoseconds = false;
  u32 wire_gap_bytes = kEthernetGapBytes;
};

inline const std::array kLinkParameters = {
    Parameter<LinkOptions>{.key = "host_rate",
                           .field = &LinkOptions::host_bits_per_s,
                           .quantity = Quantity::bits_per_s,
                           .min = 1e9,
                           .max = 1e13,
                           .help = "NIC to its switch",
                           .source = "Meta SIGCOMM'24: 400G per GPU",
                           .only_with = kBuilt},
    Parameter<LinkOptions>{.key = "rtsw_ctsw_rate",
                           .field = &LinkOptions::rtsw_ctsw_bits_per_s,
                           .quantity = Quantity::bits_per_s,
                           .min = 1e9,
                           .max = 1e13,
                           .help = "RTSW uplinks",
                           .source = "Meta SIGCOMM'24",
                           .only_with = kOfZones},
    Parameter<LinkOptions>{.key = "ctsw_atsw_rate",
                           .field = &LinkOptions::ctsw_atsw_bits_per_s,
                           .quantity = Quantity::bits_per_s,
                           .min = 1e9,
                           .max = 1e13,
                           .help = "CTSW uplinks",
                           .source = "Llama 3, 3.3.1",
                           .only_with = kOfZones},
    Parameter<LinkOptions>{.key = "host_propagation",
                           .field = &LinkOptions::host_propagation_ps,
                           .quantity = Quantity::time_ps,
                           .max = 1e12,
                           .help = "cable from NIC to switch",
                           .source = "3 m of DAC at 5 ns/m",
                           .only_with = kBuilt},
    Parameter<LinkOptions>{.key = "rtsw_ctsw_propagation",
                           .field = &LinkOptions::rtsw_ctsw_propagation_ps,
                           .quantity = Quantity::time_ps,
                           .max = 1e12,
                           .help = "cable from RTSW to CTSW",
                           .source = "engineering judgement: 100 m of fibre at 5 ns/m",
                           .only_with = kOfZones},
    Parameter<LinkOptions>{.key = "ctsw_atsw_propagation",
                           .field = &LinkOptions::ctsw_atsw_propagation_ps,
                           .quantity = Quantity::time_ps,
                           .max = 1e12,
                           .help = "cable from CTSW to ATSW",
                           .source = "engineering judgement: 250 m of fibre at 5 ns/m",
                           .only_with = kOfZones},
    Parameter<LinkOptions>{.key = "whole_nanoseconds",
                           .field = &LinkOptions::whole_nanoseconds,
                           .help =
                               "cut the time that a packet takes on a link, and DCQCN's wait for the pace, to whole "
                               "nanoseconds, to replay runs of ns-3's HPCC (82 for 82.88 ns: its links are 1.07 % "
                               "fast)",
                           .source = "exact; the cut is HPCC's"},
    Parameter<LinkOptions>{
        .key = "wire_gap",
        .field = &LinkOptions::wire_gap_bytes,
        .quantity = Quantity::bytes,
        .max = 64,
        .help =
            "what passes between two frames and no memory holds. roce.data_overhead, ack_wire, cnp_wire and cts_wire "
            "and tcp.overhead include it: for the same frames without it, give 20 B less of each",
        .source = "IEEE 802.3: preamble 7 + start delimiter 1 + gap 12 B; InfiniBand has none"},
};

/// [latency]: fixed pipelines, from the end of reception to the decision (ingress) and from there to the wire (egress).
/// Imported topologies have no pipelines: their files give the total delay of a link.
struct LatencyOptions {
  TimePs nic_transmit_ps = 100'000;
  TimePs nic_receive_ps = 650'000;
  TimePs rtsw_ingress_ps = 600'000;
  TimePs rtsw_egress_ps = 0;
  TimePs ctsw_ingress_ps = 3'925'000;
  TimePs ctsw_egress_ps = 3'925'000;
  TimePs atsw_ingress_ps = 2'100'000;
  TimePs atsw_egress_ps = 0;
};

inline constexpr std::string_view kLatencySource =
    "derived from Meta SIGCOMM'24: round trips of 3, 22 and 47 us in rack, cross-rack and cross-zone";

inline const std::array kLatencyParameters = {
    Parameter<LatencyOptions>{.key = "nic_transmit",
                              .field = &LatencyOptions::nic_transmit_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "NIC: decision to wire",
                              .source = kLatencySource,
                              .only_with = kBuilt},
    Parameter<LatencyOptions>{.key = "nic_receive",
                              .field = &LatencyOptions::nic_receive_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "NIC: wire to transport",
                              .source = kLatencySource,
                              .only_with = kBuilt},
    Parameter<LatencyOptions>{.key = "rtsw_ingress",
                              .field = &LatencyOptions::rtsw_ingress_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "RTSW (and the switch of a star): before the decision",
                              .source = kLatencySource,
                              .only_with = kOfZones},
    Parameter<LatencyOptions>{.key = "rtsw_egress",
                              .field = &LatencyOptions::rtsw_egress_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "RTSW (and the switch of a star): after the decision",
                              .source = kLatencySource,
                              .only_with = kOfZones},
    Parameter<LatencyOptions>{.key = "ctsw_ingress",
                              .field = &LatencyOptions::ctsw_ingress_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "CTSW: before the decision",
                              .source = kLatencySource,
                              .only_with = kOfZones},
    Parameter<LatencyOptions>{.key = "ctsw_egress",
                              .field = &LatencyOptions::ctsw_egress_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "CTSW: after the decision (a VOQ chassis crosses its fabric after the VOQ)",
                              .source = kLatencySource,
                              .only_with = kOfZones},
    Parameter<LatencyOptions>{.key = "atsw_ingress",
                              .field = &LatencyOptions::atsw_ingress_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "ATSW: before the decision",
                              .source = kLatencySource,
                              .only_with = kOfZones},
    Parameter<LatencyOptions>{.key = "atsw_egress",
                              .field = &LatencyOptions::atsw_egress_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e12,
                              .help = "ATSW: after the decision",
                              .source = kLatencySource,
                              .only_with = kOfZones},
};

}  // namespace heddle
