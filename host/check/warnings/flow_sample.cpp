#include "host/check/warnings/flow_sample.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "kernels/base/hash.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/world/servers.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxFlows = 50'000;

/// Whether some switch hashes the destination QP.
bool tells_qps_apart(const Routing& routing) {
  return (routing.hash.fields & kHashDstQp) != 0 || any_tier(routing, &PolicyInfo::hashes_qps);
}

/// Every `step`-th queue pair of an all-to-all in closed form (MODEL.md, 9.10).
class PairsSample {
 public:
  PairsSample(const World& world, const Job& job) : world_(world), job_(job), place_(job.ranks.size()) {
    std::vector<u32> order(job.ranks.size());
    for (u32 rank = 0; rank < order.size(); ++rank) order[rank] = rank;
    std::ranges::sort(order, {}, [&](u32 rank) { return job.ranks[rank]; });
    for (u32 i = 0; i < order.size(); ++i) place_[order[i]] = i;
  }

  u64 size() const { return network_pairs(job_) * pair_qps(); }

  Qp at(u64 index) const {
    const auto ranks = static_cast<u32>(job_.ranks.size());
    const u32 server = job_.all_pairs.gpus_per_server;
    const u64 pair = index / pair_qps();
    const u32 i = static_cast<u32>(index % pair_qps()), from = static_cast<u32>(pair / (ranks - server));
    const u32 nth = static_cast<u32>(pair % (ranks - server));
    const u32 to = (first_rank_of_server(job_.all_pairs, from) + server + nth) % ranks;
    Qp qp;
    qp.src = job_.ranks[from];
    qp.dst = job_.ranks[to];
    qp.traffic_class = kCollectiveClass;
    qp.sender_number = static_cast<u16>(nth * pair_qps() + i);
    // the place of the first GPU of the receiver's server
    const u32 own = place_[first_rank_of_server(job_.all_pairs, to)];
    const u32 place = place_[from] < own ? place_[from] : place_[from] - server;
    qp.receiver_number = static_cast<u16>(place * pair_qps() + i);
    qp.source_port_entropy = static_cast<u16>(
        source_port_entropy(world_.seed, qp.src, qp.dst, world_.traffic.source_port_per_qp ? qp.sender_number : 0));
    return qp;
  }

 private:
  u32 pair_qps() const { return job_.all_pairs.channels * job_.all_pairs.qps; }

  const World& world_;
  const Job& job_;
  std::vector<u32> place_;  // [rank] its place in the order of endpoints
};

}  // namespace

std::vector<Qp> sample_flows(const World& world) {
  const bool qps_differ = tells_qps_apart(world.routing);
  const u64 step = std::max<u64>(1, count_qps(world) / kMaxFlows);
  std::set<std::tuple<EndpointId, EndpointId, u32, u32>> known;
  std::vector<Qp> flows;
  const auto add = [&](const Qp& qp) {
    if (known.emplace(qp.src, qp.dst, qp.source_port_entropy, qps_differ ? qp.receiver_number : 0).second)
      flows.push_back(qp);
  };
  // one random index in every `step`, so that regular numbering does not matter
  const auto for_each_taken = [&](u64 count, const auto& take) {
    for (u64 first = 0; first < count; first += step) {
      const u64 index = first + mix64(first + 1) % step;
      if (index < count) take(index);
    }
  };
  for_each_taken(world.traffic.qps.size(), [&](u64 q) { add(world.traffic.qps[q]); });
  for (const Job& job : world.collectives.jobs) {
    if (!job.all_pairs) continue;
    const PairsSample sample(world, job);
    for_each_taken(sample.size(), [&](u64 i) { add(sample.at(i)); });
  }
  return flows;
}

}  // namespace heddle
