// Who notes when it starts to send: a few NICs, in which shows what repeats.
#include <algorithm>

#include "kernels/expand/expand.hpp"

namespace heddle {
namespace {

constexpr std::size_t kMostWitnesses = 8;

/// The first GPU of a job that sends over the network; kNone: none does.
EndpointId first_sender_of(const World& world, const Job& job) {
  if (job.all_pairs) return network_pairs(job) == 0 ? kNone : job.ranks[0];
  for (const LaneGroup& group : job.groups) {
    for (u32 c = group.first_connection; c < group.first_connection + group.connections; ++c) {
      if (!world.collectives.connections[c].nvlink) return world.collectives.connections[c].src;
    }
  }
  return kNone;
}

/// Those that this part of the World has.
std::vector<EndpointId> witnesses_of(const World& world, const Model& model) {
  std::vector<EndpointId> chosen;
  const auto choose = [&](EndpointId e) {
    if (e != kNone && model.local_endpoint[e] != kNone && chosen.size() < kMostWitnesses &&
        std::ranges::find(chosen, e) == chosen.end())
      chosen.push_back(e);
  };
  for (const Job& job : world.collectives.jobs) choose(first_sender_of(world, job));
  if (!world.traffic.messages.empty()) choose(world.traffic.qps[world.traffic.messages[0].qp].src);
  return chosen;
}

}  // namespace

void expand_witnesses(const World& world, Model& model) {
  if (!model.view.settings.may_skip) return;
  const std::vector<EndpointId> chosen = witnesses_of(world, model);
  View& v = model.view;
  Witness* witness = model.arrays.add<Witness>(v, v.endpoint.witness, "witnesses", StateKind::dense, chosen.size());
  for (u32 w = 0; w < chosen.size(); ++w) {
    witness[w] = {};
    v.endpoint.nic[model.local_endpoint[chosen[w]]].witness = w;
  }
  model.witnesses = static_cast<u32>(chosen.size());
}

}  // namespace heddle
