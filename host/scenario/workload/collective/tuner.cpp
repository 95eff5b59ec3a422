#include "host/scenario/workload/collective/tuner.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "host/scenario/workload/collective/channels.hpp"

namespace heddle {
namespace {

/// Latencies by protocol (simple, LL, LL128) in us: a collective's start, a hop by NVLink, a hop over the network.
struct Latencies {
  double base[kProtocols], nvlink[kProtocols], network[kProtocols];
};
constexpr Latencies kRing = {{8.4, 6.6, 14.0}, {3.4, 0.6, 1.9}, {14.0, 2.7, 4.0}};

/// What differs between versions. NVLS: latency in a server, and per hop between servers.
struct Version {
  std::string_view name;
  Latencies tree;
  double nvls_us, nvls_network_us;
};
constexpr Version kVersions[] = {
    {"v2.19", {{0.0, 6.8, 14.0}, {28.0, 0.6, 1.25}, {28.0, 5.0, 8.5}}, 23, 14},
    {"v2.26", {{8.4, 6.8, 14.0}, {4.0, 0.6, 1.25}, {14.0, 5.0, 8.5}}, 25, 14},
    {"v2.30", {{8.4, 6.8, 14.0}, {4.0, 0.6, 1.25}, {14.0, 5.0, 8.5}}, 25, 20.9},
};

/// GB/s with one server, two, or more. LL: of all channels together, in a server by the GPU, beyond by the CPU. The
/// others: of a channel of the graph, which is two thread blocks.
struct Gpu {
  std::string_view name;
  double ll, ring_ll128, tree[3], tree_ll128[3];
};
constexpr Gpu kGpus[] = {{"hopper", 141.0, 36.7, {38.7, 41.4, 36.0}, {36.7, 36.7, 29.0}},
                         {"ampere", 87.7, 20.0, {24.0, 23.6, 17.8}, {20.0, 20.0, 20.0}}};
struct Cpu {
  std::string_view name;
  double ll[3];       // the first is not used
  double network_us;  // each of a ring's hops costs the proxy as much, three times that with the simple protocol
};
constexpr Cpu kCpus[] = {{"intel", {0, 39.0, 20.4}, 1.0}, {"amd", {0, 22.5, 19.0}, 2.0}};
constexpr double kMaxLlOfHopper219 = 87.7;

/// NVLS: the speeds that the graph's search tries for a channel (sm90SpeedArrayIntra), and the most of a channel
/// between two servers, and between more.
constexpr double kNvlsSpeeds[] = {60.0, 50.0, 40.0, 30.0, 24.0, 20.0, 15.0, 12.0, 11.0, 6.0, 3.0};
constexpr double kMaxNvlsTree[3] = {0, 57.7, 45.5};
/// The plateau of rings that are neither latency-bound nor full: from so many bytes per rank and channel on.
constexpr double kPlateau = 1.4;
constexpr u64 kPlateauBytes = 64;

/// Corrections for trees of medium sizes, which do not fit the model: by log2 of the size, from 64 B on.
constexpr double kTreeCorrection[kProtocols][23] = {
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1.0, 1.0}};

template <class T, size_t n>
const T& named(const T (&table)[n], std::string_view name) {
  return *std::ranges::find(table, name, &T::name);
}

struct Model {
  explicit Model(const TunerInput& input) : in(input) {
    // With a NIC for each GPU, every GPU passes on by NVLink all rings but the one that leaves by its NIC.
    const double gpus = in.gpus_per_server;
    const double forwarded = servers > 1 && in.nics == in.gpus_per_server ? (gpus - 1) / gpus : 1;
    if (forwarded > 0) bus_GBps = std::min(bus_GBps, in.nvlink_GBps / forwarded);
  }

  const TunerInput& in;
  const Version& version = named(kVersions, in.nccl);
  const Gpu& gpu = named(kGpus, in.gpu);
  const Cpu& cpu = named(kCpus, in.cpu);
  const bool v2_19 = in.nccl == "v2.19";
  const u32 servers = in.ranks / in.gpus_per_server;
  const u32 scale = std::min(servers, 3u) - 1;
  const bool twice = reduces_for_all(in.kind);
  const ChannelGraph graph = graph_of(in);
  double bus_GBps = graph.channels * graph.channel_GBps;  // between neighbours

  double max_ll_GBps() const {
    if (servers > 1) return cpu.ll[scale];
    return v2_19 ? std::min(gpu.ll, kMaxLlOfHopper219) : gpu.ll;
  }
  double ring_bandwidth(Protocol protocol) const {
    if (protocol == Protocol::ll) {
      const bool sums = twice || in.kind == CollectiveKind::reduce;
      return std::min(max_ll_GBps(), bus_GBps / (!v2_19 ? 2 : servers > 1 || sums ? 4 : 3));
    }
    if (protocol == Protocol::ll128)
      return std::min(bus_GBps * (v2_19 && in.gpus_per_server == 1 ? 0.7 : 0.92), graph.channels * gpu.ring_ll128);
    return bus_GBps;
  }
  double tree_bandwidth(Protocol protocol) const {
    const double tree = std::min(bus_GBps * 0.92, graph.channels * gpu.tree[scale]);
    if (protocol == Protocol::ll) return std::min(tree / 3.8, max_ll_GBps());
    if (protocol == Protocol::ll128)
      return std::min(tree * (servers == 1 ? 7.0 / 9.0 : 120.0 / 128.0), graph.channels * gpu.tree_ll128[scale]);
    return tree;
  }

  /// Broadcast and reduce: every rank forwards everything, with the simple protocol at the latency of a tree.
  Estimate chain(Protocol protocol) const {
    const Latencies& of = protocol == Protocol::simple ? version.tree : kRing;
    const u32 p = static_cast<u32>(protocol);
    const double hop = servers == 1 ? of.nvlink[p] : of.network[p];
    return estimate(Algorithm::ring, protocol, kRing.base[p] + in.ranks * hop, ring_bandwidth(protocol));
  }
  /// All kinds except all-reduce visit every server once.
  Estimate ring(Protocol protocol) const {
    if (in.kind == CollectiveKind::broadcast || in.kind == CollectiveKind::reduce) return chain(protocol);
    const u32 p = static_cast<u32>(protocol);
    const bool simple = protocol == Protocol::simple;
    const double rounds = twice ? 2.0 : 1.0, hops = rounds * (in.ranks - 1);
    const double between = servers == 1 ? 0 : v2_19 && twice ? 2.0 * servers : rounds * (servers - 1);
    const double overhead = servers == 1 ? 0 : cpu.network_us * (simple ? 3 : 1);
    // With one GPU per server nothing hides the latency of the network.
    const Latencies& exposed = in.gpus_per_server == 1 && !v2_19 ? version.tree : kRing;
    double latency =
        kRing.base[p] + (hops - between) * std::max(kRing.nvlink[p], overhead) + between * exposed.network[p];
    if (simple && servers > 1 && twice && in.bytes / (u64{in.channels} * in.ranks) >= kPlateauBytes)
      latency *= kPlateau;
    return estimate(Algorithm::ring, protocol, latency, ring_bandwidth(protocol) * in.ranks / hops);
  }
  Estimate tree(Protocol protocol) const {
    const u32 p = static_cast<u32>(protocol);
    const double chain = in.gpus_per_server - 1, levels = std::bit_width(servers) - 1;
    const double latency =
        version.tree.base[p] + 2 * (chain * version.tree.nvlink[p] + levels * version.tree.network[p]);
    const u32 size = static_cast<u32>(std::bit_width(in.bytes >> 6));
    const bool known = size != 0 && size <= std::size(kTreeCorrection[0]);
    const double corrected = known ? kTreeCorrection[p][size - 1] : 1.0;
    return estimate(Algorithm::tree, protocol, latency, tree_bandwidth(protocol) / 2 * corrected);
  }
  /// NVLS inside servers, NVLSTree across them.
  Estimate nvls() const {
    const double share = in.nvlink_GBps / kNvlsChannels;
    const double* const speed = std::ranges::find_if(kNvlsSpeeds, [&](double s) { return s <= share; });
    const double inside = speed == std::end(kNvlsSpeeds) ? share : *speed;
    const double between = std::min(inside, in.nics * kChannelOfNic * in.nic_GBps / kNvlsChannels);
    double channel = inside, of_bus = 5.0 / 6.0;
    if (v2_19) {
      if (servers > 1) channel = servers == 2 ? between : between / 2;
    } else {
      channel *= in.nvls_GBps / in.nvlink_GBps * (kNvlsChannels - 1) / kNvlsChannels * 2;
      if (servers > 1) channel = std::min({channel, servers == 2 ? 2 * between : between, kMaxNvlsTree[scale]});
      of_bus = in.ranks / (2.0 * (in.ranks - 1));
    }
    const double levels = std::bit_width(servers) - 1;
    return estimate(Algorithm::nvls, Protocol::simple, version.nvls_us + 2 * levels * version.nvls_network_us,
                    kNvlsChannels * channel * of_bus);
  }
  Estimate estimate(Algorithm algorithm, Protocol protocol, double latency_us, double algbw) const {
    return {algorithm, protocol, latency_us, algbw, latency_us + static_cast<double>(in.bytes) / (1000 * algbw)};
  }
};

}  // namespace

std::vector<Estimate> estimates(const TunerInput& input) {
  const Model model(input);
  std::vector<Estimate> all;
  for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128}) all.push_back(model.ring(protocol));
  if (!reduces_for_all(input.kind)) return all;
  for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128}) all.push_back(model.tree(protocol));
  const bool joined = input.gpus_per_server >= kMinNvlsGpus && input.gpus_per_server <= kMaxNvlsGpus;
  if (input.kind == CollectiveKind::all_reduce && input.nvls && input.gpu == "hopper" && joined)
    all.push_back(model.nvls());
  return all;
}

}  // namespace heddle
