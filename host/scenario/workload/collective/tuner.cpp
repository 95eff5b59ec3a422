#include "host/scenario/workload/collective/tuner.hpp"

#include <algorithm>
#include <bit>

namespace heddle {
namespace {

/// Latencies by protocol (simple, LL, LL128) in us: a collective's start, a hop by NVLink, a hop over the network.
struct Latencies {
  double base[kProtocols], nvlink[kProtocols], network[kProtocols];
};
constexpr Latencies kRing = {{8.4, 6.6, 14.0}, {3.4, 0.6, 1.9}, {14.0, 2.7, 4.0}};
constexpr Latencies kTree = {{8.4, 6.8, 14.0}, {4.0, 0.6, 1.25}, {14.0, 5.0, 8.5}};
/// An extra NIC doorbell; LL across servers is slower inside them, too.
constexpr double kPostOverheadUs = 1.0, kLlAcrossServers = 1.8;
/// GB/s, with one server, two, or more: LL in total; the others per channel.
constexpr double kMaxLl[3] = {141.0, 45.0, 35.0}, kMaxRingLl128[3] = {36.7, 36.7, 36.7},
                 kMaxTree[3] = {38.7, 41.4, 36.0}, kMaxTreeLl128[3] = {36.7, 36.7, 29.0};
/// Reduction in the switch, on Hopper: latency in a server, per hop between servers, and channels.
constexpr double kNvlsUs = 25.0, kNvlsNetworkUs = 20.9, kNvlsChannels = 16;
/// The plateau of rings that are neither latency-bound nor full: from so many bytes per rank and channel on.
constexpr double kPlateau = 1.4;
constexpr u64 kPlateauBytes = 64;

/// Corrections for trees of medium sizes, which do not fit the model: by log2 of the size, from 64 B on.
constexpr double kTreeCorrection[kProtocols][24] = {
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1.0, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1.0, 1.0, 1.0}};

struct Model {
  const TunerInput& in;
  u32 servers = in.ranks / in.gpus_per_server;
  u32 scale = std::min(servers, 3u) - 1;
  /// Bandwidth of all channels between neighbours.
  double bus_GBps =
      servers == 1 ? in.nvlink_GBps : std::min(in.nvlink_GBps, std::min(in.channels, in.gpus_per_server) * in.nic_GBps);

  double ring_bandwidth(Protocol protocol) const {
    if (protocol == Protocol::ll) return std::min(kMaxLl[scale], bus_GBps / 2);
    if (protocol == Protocol::ll128) return std::min(bus_GBps * 0.92, in.channels * kMaxRingLl128[scale]);
    return bus_GBps;
  }
  double tree_bandwidth(Protocol protocol) const {
    const double tree = std::min(bus_GBps * 0.92, 2 * in.channels * kMaxTree[scale]);
    if (protocol == Protocol::ll) return std::min(tree / 3.8, kMaxLl[scale]);
    if (protocol == Protocol::ll128)
      return std::min(tree * (servers == 1 ? 7.0 / 9.0 : 120.0 / 128.0), 2 * in.channels * kMaxTreeLl128[scale]);
    return tree;
  }
  double nvlink_us(const Latencies& of, Protocol protocol) const {
    const double hop = of.nvlink[static_cast<u32>(protocol)];
    return servers > 1 && protocol == Protocol::ll ? hop * kLlAcrossServers : hop;
  }
  double network_us(const Latencies& of, Protocol protocol) const {
    return of.network[static_cast<u32>(protocol)] + (protocol == Protocol::simple ? kPostOverheadUs : 0);
  }

  /// Broadcast and reduce: every rank forwards everything, with the simple protocol at the latency of a tree.
  Estimate chain(Protocol protocol) const {
    const Latencies& of = protocol == Protocol::simple ? kTree : kRing;
    const double hop = servers == 1 ? nvlink_us(of, protocol) : of.network[static_cast<u32>(protocol)];
    return estimate(Algorithm::ring, protocol, kRing.base[static_cast<u32>(protocol)] + in.ranks * hop,
                    ring_bandwidth(protocol));
  }
  /// All kinds except all-reduce visit every server once.
  Estimate ring(Protocol protocol) const {
    if (in.kind == CollectiveKind::broadcast || in.kind == CollectiveKind::reduce) return chain(protocol);
    const bool twice = reduces_for_all(in.kind);
    const double hops = (twice ? 2.0 : 1.0) * (in.ranks - 1), between = (twice ? 2.0 : 1.0) * (servers - 1);
    double latency = kRing.base[static_cast<u32>(protocol)] + (hops - between) * nvlink_us(kRing, protocol) +
                     between * network_us(kRing, protocol);
    if (protocol == Protocol::simple && servers > 1 && twice &&
        in.bytes / (u64{in.channels} * in.ranks) >= kPlateauBytes) {
      latency *= kPlateau;
    }
    return estimate(Algorithm::ring, protocol, latency, ring_bandwidth(protocol) * in.ranks / hops);
  }
  Estimate tree(Protocol protocol) const {
    const double chain = in.gpus_per_server - 1, levels = std::bit_width(servers) - 1;
    const double latency = kTree.base[static_cast<u32>(protocol)] +
                           2 * (chain * nvlink_us(kTree, protocol) + levels * network_us(kTree, protocol));
    const u32 size = static_cast<u32>(std::bit_width(in.bytes >> 6));
    const bool known = size != 0 && size <= std::size(kTreeCorrection[0]);
    const double corrected = known ? kTreeCorrection[static_cast<u32>(protocol)][size - 1] : 1.0;
    return estimate(Algorithm::tree, protocol, latency, tree_bandwidth(protocol) / 2 * corrected);
  }
  /// NVLS inside servers, NVLSTree across them: the switches' reduction is limited by their efficiency, the rest by
  /// NICs.
  Estimate nvls() const {
    const double inside = (kNvlsChannels - 1) / kNvlsChannels * 2 * in.nvls_GBps;
    const double levels = std::bit_width(servers) - 1, n = in.ranks;
    return estimate(Algorithm::nvls, Protocol::simple, kNvlsUs + 2 * levels * kNvlsNetworkUs,
                    (servers == 1 ? inside : std::min(inside, bus_GBps)) * n / (2 * (n - 1)));
  }
  Estimate estimate(Algorithm algorithm, Protocol protocol, double latency_us, double algbw) const {
    return {algorithm, protocol, latency_us, algbw, latency_us + static_cast<double>(in.bytes) / (1000 * algbw)};
  }
};

}  // namespace

std::vector<Estimate> estimates(const TunerInput& input) {
  const Model model{input};
  std::vector<Estimate> all;
  for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128}) all.push_back(model.ring(protocol));
  if (!reduces_for_all(input.kind)) return all;
  for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128}) all.push_back(model.tree(protocol));
  if (input.kind == CollectiveKind::all_reduce && input.gpus_per_server > 1) all.push_back(model.nvls());
  return all;
}

}  // namespace heddle
