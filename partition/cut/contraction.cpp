#include "partition/cut/contraction.hpp"

#include "partition/cut/sets.hpp"

namespace heddle {
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
    const u32 least = sets.find(n);  // at most n: its vertex is known, or n is the least itself
    out.vertex_of_node[n] = least == n ? out.vertices++ : out.vertex_of_node[least];
  }
  return out;
}

}  // namespace heddle
