// The schedule of failures, by local link and switch.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/instantiate/instantiate.hpp"

namespace heddle {
namespace {

[[noreturn]] void refuse(LinkId link, const std::string& what) {
  throw std::invalid_argument("failures: link " + std::to_string(link) + " " + what);
}

void check_changes(const World& world, LinkId l) {
  const std::vector<Link>& links = world.fabric.links;
  TimePs before_ps = -1;
  for (const LinkChange& change : world.failures.of(l)) {
    const LinkState back = state_at(world.fabric, world.failures, links[l].reverse, change.at_ps);
    if (change.at_ps <= before_ps) refuse(l, "changes twice at one time, or in disorder; sort its changes");
    if (change.state.ps_per_byte_q16 != back.ps_per_byte_q16)
      refuse(l, "and its reverse differ in being up or in speed; change both");
    if (change.state.up() && change.state.ps_per_byte_q16 < links[l].ps_per_byte_q16)
      refuse(l, "becomes faster than its table says, which thresholds count on; give at most that speed");
    before_ps = change.at_ps;
  }
}

/// Adds the instants at which links of each switch change.
void add_instants(const std::vector<u32>& first, const std::vector<LinkChange>& changes, Model& model) {
  View& v = model.view;
  std::vector<u32> first_instant(v.switches + 1, 0);
  std::vector<TimePs> instants, own;
  for (u32 n = 0; n < v.switches; ++n) {
    own.clear();
    for (u32 i = first[v.first_link[n]]; i < first[v.first_link[n + 1]]; ++i) own.push_back(changes[i].at_ps);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    instants.insert(instants.end(), own.begin(), own.end());
    first_instant[n + 1] = static_cast<u32>(instants.size());
  }
  SwitchProgress* progress =
      model.arrays.add<SwitchProgress>(v, v.failing.progress, "progress of failures", StateKind::derived, v.switches);
  for (u32 n = 0; n < v.switches; ++n) progress[n] = {first_instant[n], v.failing.first_routes[n]};
  model.arrays.add_plan(v, v.failing.first_instant, "first instant of failures", first_instant);
  model.arrays.add_plan(v, v.failing.instant, "instants of failures", instants);
}

/// Adds when ports of NICs are out of service, as every NIC knows it.
void add_ports_out(const Failures& failures, Model& model) {
  View& v = model.view;
  if (!v.settings.ports_fail) return;
  model.arrays.add_plan(v, v.failing.first_ports_out, "first ports out", failures.ports_out_first);
  model.arrays.add_plan(v, v.failing.ports_out, "ports out", failures.ports_out);
  std::vector<TimePs> instants;
  for (const PortsOut& change : failures.ports_out) instants.push_back(change.from_ps);
  std::sort(instants.begin(), instants.end());
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  v.failing.port_instants = static_cast<u32>(instants.size());
  model.arrays.add_plan(v, v.failing.port_instant, "instants of ports", instants);
}

}  // namespace

void check_failures(const World& world) {
  if (world.failures.none()) return;
  const u64 links = world.fabric.links.size();
  if (world.failures.first.size() != links + 1)
    throw std::invalid_argument("failures: `first` needs one entry for each link, and one");
  for (u32 l = 0; l < links; ++l) check_changes(world, l);
  if (world.failures.ports_out_first.empty()) return;
  if (world.failures.ports_out_first.size() != world.fabric.endpoints + 1)
    throw std::invalid_argument("failures: `ports_out_first` needs one entry for each endpoint, and one");
}

void instantiate_failures(const World& world, Model& model) {
  View& v = model.view;
  if (!v.settings.links_fail) return;
  std::vector<u32> first(v.links + 1, 0);
  std::vector<LinkChange> changes;
  for (u32 l = 0; l < v.links; ++l) {
    const auto own = world.failures.of(model.global_link[l]);
    changes.insert(changes.end(), own.begin(), own.end());
    first[l + 1] = static_cast<u32>(changes.size());
  }
  LinkCondition* condition =
      model.arrays.add<LinkCondition>(v, v.failing.link, "link conditions", StateKind::dense, v.links);
  for (u32 l = 0; l < v.links; ++l) condition[l].next = first[l];
  model.arrays.add<TimePs>(v, v.failing.pause_effect_ps, "latest pause effects", StateKind::dense,
                           v.links * v.settings.pfc_classes);
  model.arrays.add_plan(v, v.failing.first, "first change", first);
  model.arrays.add_plan(v, v.failing.change, "changes", changes);
  add_instants(first, changes, model);
  add_ports_out(world.failures, model);
}

void resume_failures(const Model& model, TimePs now_ps) {
  const View& v = model.view;
  if (!v.settings.links_fail) return;
  const Failing& f = v.failing;
  for (u32 l = 0; l < v.links; ++l) {
    LinkCondition& condition = f.link[l];
    while (condition.next != f.first[l + 1] && f.change[condition.next].at_ps < now_ps) {
      const LinkState& state = f.change[condition.next++].state;
      v.egress[l].ps_per_byte_q16 = state.ps_per_byte_q16;
      condition.loss_q64 = state.loss_q64;
    }
    condition.sent_until_ps = v.egress[l].free_ps;
  }
  for (u32 n = 0; n < v.switches; ++n) {
    SwitchProgress& progress = f.progress[n];
    while (progress.change != f.first_instant[n + 1] && f.instant[progress.change] < now_ps) ++progress.change;
    // Windows take the route changes themselves when they begin.
  }
  for (u32 e = 0; e < v.endpoints; ++e) {
    u32& next = v.endpoint.nic[e].port_instant;
    while (next != f.port_instants && f.port_instant[next] < now_ps) ++next;
  }
}

}  // namespace heddle
