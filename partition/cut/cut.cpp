#include "partition/cut/cut.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "partition/cut/policies.hpp"

namespace heddle {
namespace {

void measure_links(const World& world, const ExpectedPackets& packets, Cut& cut) {
  std::map<std::pair<u32, u32>, RankPair> pairs;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const Link& link = world.fabric.links[l];
    const u32 from = cut.rank_of_node[link.src], to = cut.rank_of_node[link.dst];
    cut.all_packet_parts += packets.parts[l];
    if (from == to) continue;
    RankPair& pair = pairs[std::minmax(from, to)];
    ++pair.links, ++cut.load[from].cut_links, ++cut.cut_links;
    pair.packet_parts += packets.parts[l], cut.cut_packet_parts += packets.parts[l];
  }
  for (auto& [ranks, pair] : pairs) {
    pair.a = ranks.first, pair.b = ranks.second;
    cut.pairs.push_back(pair);
  }
}

Cut measure(const World& world, const ExpectedPackets& packets, std::vector<u32> rank_of_node, u32 ranks) {
  Cut cut;
  cut.ranks = ranks;
  cut.uniform = packets.uniform;
  cut.rank_of_node = std::move(rank_of_node);
  cut.load.resize(ranks);
  const std::vector<u64> work = node_work(world, packets);
  for (NodeId n = 0; n < cut.rank_of_node.size(); ++n) {
    RankLoad& load = cut.load[cut.rank_of_node[n]];
    ++load.nodes;
    load.endpoints += n < world.fabric.endpoints;
    load.work_parts += work[n];
  }
  measure_links(world, packets, cut);
  cut.exchange = exchange_period(world, cut.rank_of_node);
  return cut;
}

}  // namespace

double Cut::balance() const {
  u64 most = 0, all = 0;
  for (const RankLoad& l : load) most = std::max(most, l.work_parts), all += l.work_parts;
  return all == 0 ? 1 : static_cast<double>(most) * static_cast<double>(load.size()) / static_cast<double>(all);
}

double Cut::cut_share() const {
  if (all_packet_parts == 0) return 0;
  return static_cast<double>(cut_packet_parts) / static_cast<double>(all_packet_parts);
}

Part Cut::part(u32 rank) const { return {rank_of_node, rank, exchange.period_ps}; }

std::vector<Part> Cut::parts() const {
  std::vector<Part> all;
  for (u32 rank = 0; rank < ranks; ++rank) all.push_back(part(rank));
  return all;
}

Cut cut_world(const World& world, std::string_view policy, u32 ranks) {
  const Contraction contraction = contract_racks(world);
  const ExpectedPackets packets = expect_packets(world);
  const std::vector<u32> rank_of_vertex = divide(graph_of(world, contraction, packets), policy, ranks);
  std::vector<u32> rank_of_node;
  rank_of_node.reserve(world.fabric.nodes.size());
  for (const u32 v : contraction.vertex_of_node) rank_of_node.push_back(rank_of_vertex[v]);
  Cut cut = measure(world, packets, std::move(rank_of_node), ranks);
  cut.policy = policy;
  cut.vertices = contraction.vertices;
  return cut;
}

}  // namespace heddle
