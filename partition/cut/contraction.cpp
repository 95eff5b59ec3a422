#include "partition/cut/contraction.hpp"

#include <numeric>

namespace heddle {
namespace {

/// Disjoint sets; the least member stands for its set.
class Sets {
 public:
  explicit Sets(size_t members) : parent_(members) { std::iota(parent_.begin(), parent_.end(), 0u); }

  u32 find(u32 i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void join(u32 a, u32 b) {
    a = find(a), b = find(b);
    if (a < b) {
      parent_[b] = a;
    } else {
      parent_[a] = b;
    }
  }

 private:
  std::vector<u32> parent_;
};

}  // namespace

Contraction contract_racks(const World& world) {
  Sets sets(world.fabric.nodes.size());
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) sets.join(e, world.routing.attach_switch[e]);
  for (const Connection& c : world.collectives.connections) {
    if (c.nvlink) sets.join(c.src, c.dst);
  }
  for (const Job& job : world.collectives.jobs) {
    const u32 server = job.all_pairs.gpus_per_server;
    for (u32 rank = 0; job.all_pairs && rank < job.ranks.size(); ++rank)
      sets.join(job.ranks[rank / server * server], job.ranks[rank]);
  }
  Contraction out;
  out.vertex_of_node.resize(world.fabric.nodes.size());
  for (NodeId n = 0; n < out.vertex_of_node.size(); ++n) {
    const u32 least = sets.find(n);  // at most n: its vertex is known, or this is it
    out.vertex_of_node[n] = least == n ? out.vertices++ : out.vertex_of_node[least];
  }
  return out;
}

}  // namespace heddle
