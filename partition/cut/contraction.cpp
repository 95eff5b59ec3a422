#include "partition/cut/contraction.hpp"

#include "kernels/world/servers.hpp"
#include "partition/cut/sets.hpp"

namespace heddle {
namespace {

/// Joins the endpoints that share NVLink, and GPUs with those that send their messages.
void join_servers(const World& world, Sets& sets) {
  for (const Connection& c : world.collectives.connections) {
    if (c.nvlink) sets.join(c.src, c.dst);
  }
  for (const Job& job : world.collectives.jobs) {
    for (u32 rank = 0; job.all_pairs && rank < job.ranks.size(); ++rank)
      sets.join(job.ranks[first_rank_of_server(job.all_pairs, rank)], job.ranks[rank]);
  }
  for (const ProgramRun& run : world.programs.runs) {
    if (run.batches != 0) sets.join(run.gpu, run.helper);
  }
}

/// Joins a switch with the servers that hang on it alone.
void join_racks(const World& world, Sets& sets) {
  constexpr NodeId kSeveral = kNone - 1;
  const std::vector<NodeId>& attach = world.routing.attach_switch;
  const u32 ports = world.fabric.nic_ports;
  std::vector<NodeId> switch_of(world.fabric.endpoints, kNone);  // [least endpoint of a server]
  for (u32 a = 0; a < attach.size(); ++a) {
    NodeId& known = switch_of[sets.find(a / ports)];
    known = known == kNone || known == attach[a] ? attach[a] : kSeveral;
  }
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    if (switch_of[e] != kNone && switch_of[e] != kSeveral) sets.join(e, switch_of[e]);
  }
}

}  // namespace

Contraction contract_racks(const World& world) {
  Sets sets(world.fabric.nodes.size());
  join_servers(world, sets);
  join_racks(world, sets);
  Contraction out;
  out.vertex_of_node.resize(world.fabric.nodes.size());
  for (NodeId n = 0; n < out.vertex_of_node.size(); ++n) {
    const u32 least = sets.find(n);  // at most n: its vertex is known, or n is the least itself
    out.vertex_of_node[n] = least == n ? out.vertices++ : out.vertex_of_node[least];
  }
  return out;
}

}  // namespace heddle
