#include "tests/oracle/oracle.hpp"

#include <algorithm>
#include <memory>

#include "tests/oracle/endpoint.hpp"
#include "tests/oracle/simulation.hpp"
#include "tests/oracle/switch_node.hpp"
#include "tests/oracle/tables.hpp"
#include "tests/oracle/validate.hpp"

namespace heddle {
namespace oracle {

void Simulation::run(TimePs horizon) {
  while (!nothing_left()) {
    bool timeout = agenda_.empty() || (!timeouts_.empty() && *timeouts_.begin() < *agenda_.begin());
    auto [t, node] = timeout ? *timeouts_.begin() : *agenda_.begin();
    if (t >= horizon || (ends_at && t >= *ends_at)) return;
    if (timeout) {
      set_timeout(node, kNever);
    } else {
      agenda_.erase(agenda_.begin());
    }
    nodes[node]->instant(t);
  }
}

bool Simulation::busy() const {
  for (const auto& node : nodes) {
    if (node->busy()) return true;
  }
  return false;
}

namespace {

void build_nodes(Simulation& sim) {
  const Fabric& fabric = sim.world.fabric;
  sim.nodes.resize(fabric.nodes.size());
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) {
    if (fabric.nodes[n].kind == NodeKind::node_switch) {
      sim.nodes[n] = std::make_unique<SwitchNode>(sim, n);
      continue;
    }
    auto endpoint = std::make_unique<Endpoint>(sim, n);
    endpoint->gpu().prepare();
    sim.nodes[n] = std::move(endpoint);
  }
}

/// Wakes the nodes at both ends of every link that changes, and all endpoints when ports of any NIC go out of service
/// or come back.
void wake_for_changes(Simulation& sim) {
  const Fabric& fabric = sim.world.fabric;
  for (const PortsOut& change : sim.world.failures.ports_out) {
    for (EndpointId e = 0; e < fabric.endpoints; ++e) sim.wake(e, change.from_ps);
  }
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    for (const LinkChange& change : sim.world.failures.of(l)) {
      sim.wake(fabric.links[l].src, change.at_ps);
      sim.wake(fabric.links[l].dst, change.at_ps);
    }
  }
}

/// A run is complete when all work is done and the fabric is empty; else the horizon cut it; else no event can happen.
void conclude(Simulation& sim) {
  Outcome& outcome = sim.recorder.outcome();
  outcome.end_ps = sim.recorder.last_completion_ps();
  bool done = sim.recorder.all_done(sim.world);
  if (sim.ends_at) {
    outcome.reason = EndReason::qp_failed;
    outcome.explanation = sim.failure;
    outcome.end_ps = std::min(*sim.ends_at, sim.world.clocks.horizon_ps);
  } else if (done && !sim.busy()) {
    outcome.reason = EndReason::complete;
  } else if (sim.nothing_left()) {
    outcome.reason = EndReason::stalled;
    outcome.explanation = "messages or collectives are unfinished and nothing is left that could happen";
  } else {
    outcome.reason = EndReason::horizon;
    outcome.end_ps = sim.world.clocks.horizon_ps;
  }
  outcome.links = sim.links.closed_at(std::min(sim.ends_at.value_or(kNever), sim.world.clocks.horizon_ps));
}

}  // namespace
}  // namespace oracle

Outcome simulate(const World& compact, const OracleOptions& options) {
  const World world = oracle::with_tables(compact);
  oracle::validate(world);
  oracle::Simulation sim(world, options);
  oracle::build_nodes(sim);
  oracle::wake_for_changes(sim);
  sim.run(world.clocks.horizon_ps);
  oracle::conclude(sim);
  return sim.recorder.finish();
}

}  // namespace heddle
