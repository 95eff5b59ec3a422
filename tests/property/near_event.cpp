#include "tests/property/near_event.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "host/config/source.hpp"
#include "kernels/base/units.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/toml_tree.hpp"

namespace heddle::property {
namespace {

/// Directed links that change at `t`.
std::vector<LinkId> links_changing_at(const World& world, TimePs t) {
  std::vector<LinkId> links;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    if (std::ranges::any_of(world.failures.of(l), [&](const LinkChange& change) { return change.at_ps == t; }))
      links.push_back(l);
  }
  return links;
}

bool is_at(const Event& event, NodeId node, u32 port) { return event.node == node && event.port == port; }

/// Times of events at the link: packets that its source sends into it, and actions of its destination, mostly on
/// packets that have just arrived.
std::vector<TimePs> instants_at(const Link& link, const std::vector<Event>& events) {
  std::vector<TimePs> instants;
  for (const Event& e : events) {
    if (is_at(e, link.src, link.src_port) || e.node == link.dst) instants.push_back(e.time_ps);
  }
  return instants;
}

/// Times at which its destination decides pauses and resumes, which travel the other way, and at which they take effect
/// if they need not wait for a packet.
std::vector<TimePs> pauses_of(const Link& link, const Link& other_way, const std::vector<Event>& events) {
  const TimePs travels_ps = ser_ps(kPauseWireBytes, other_way.ps_per_byte_q16) + other_way.phi_ps;
  std::vector<TimePs> instants;
  for (const Event& e : events) {
    const bool pauses = e.kind == EventKind::pause || e.kind == EventKind::resume;
    if (pauses && is_at(e, link.dst, link.dst_port))
      instants.insert(instants.end(), {e.time_ps, e.time_ps + travels_ps});
  }
  return instants;
}

/// Moves the failure with this number; returns false for a repeated failure, or when nothing happens at its cables.
bool move_failure(const std::string& which, const World& world, const std::vector<Event>& events, Draw& draw,
                  toml::table& root) {
  const auto amount = [&](const TomlPath& path) {  // the generator writes all times as "N ps"
    const toml::node* node = find(root, path);
    return node == nullptr ? TimePs{0} : static_cast<TimePs>(amount_of(*node).value().value);
  };
  const TomlPath at = {"failure", which, "at"}, until = {"failure", which, "until"};
  const TimePs before_ps = amount(at), lasts_ps = amount(until) - before_ps;
  if (before_ps == 0 || find(root, {"failure", which, "times"}) != nullptr) return false;
  const std::vector<LinkId> links = links_changing_at(world, before_ps);
  if (links.empty()) return false;
  const Link& link = world.fabric.links[links[draw.below(links.size())]];
  std::vector<TimePs> instants = pauses_of(link, world.fabric.links[link.reverse], events);
  if (instants.empty() || draw.percent(50)) instants = instants_at(link, events);
  if (instants.empty()) return false;
  TimePs when_ps = instants[draw.below(instants.size())];
  if (draw.percent(30)) when_ps -= amount({"failures", "detect"});
  if (draw.percent(30)) when_ps += static_cast<TimePs>(draw.below(3)) - 1;
  const u64 packet_ps = static_cast<u64>(ser_ps(world.roce.mtu_bytes, link.ps_per_byte_q16));
  if (draw.percent(30)) when_ps -= static_cast<TimePs>(draw.below(packet_ps));
  if (when_ps <= 0) return false;
  const bool ends = find(root, until) != nullptr;
  if (ends && when_ps > before_ps && draw.percent(40)) {  // move its end instead of its begin
    set_amount(root, until, static_cast<u64>(when_ps));
  } else {
    set_amount(root, at, static_cast<u64>(when_ps));
    if (ends) set_amount(root, until, static_cast<u64>(when_ps + lasts_ps));
  }
  const TomlPath horizon = {"simulation", "horizon"};
  if (find(root, horizon) != nullptr && draw.percent(15))  // packets in flight at the horizon are counted in part
    set_amount(root, horizon, static_cast<u64>(when_ps) + 1 + draw.below(packet_ps));
  return true;
}

}  // namespace

void fail_at_an_event(u64 seed, WorldCase& world_case) {
  toml::table root = read_toml_text(world_case.toml, world_case.name);
  const toml::array* failures = root["failure"].as_array();
  if (failures == nullptr) return;
  const World world = build(world_case);
  const Outcome outcome = simulate(world, {.trace = true, .recorded_kinds = ~0u});
  Draw draw(seed, "near_event");
  const u64 first = draw.below(failures->size());
  for (u64 i = 0; i < failures->size(); ++i) {
    if (!move_failure(std::to_string((first + i) % failures->size()), world, outcome.events, draw, root)) continue;
    world_case.toml = text_of(root);
    return;
  }
}

}  // namespace heddle::property
