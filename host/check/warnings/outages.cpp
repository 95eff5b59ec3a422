#include "host/check/warnings/outages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/base/quantity_text.hpp"
#include "host/check/errors/routes.hpp"
#include "host/check/errors/up_down.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

constexpr std::size_t kMaxSwitches = 5, kMaxVersions = 50;

u64 bits_per_s_now(const LinkState& state) { return state.up() ? bits_per_s_of(state.ps_per_byte_q16) : 0; }

/// The longest time for which a node is cut off. at() is called for every change, in order of time.
class LongestCut {
 public:
  void at(TimePs t, bool cut) {
    if (cut && from_ps_ < 0) from_ps_ = t;
    if (cut || from_ps_ < 0) return;
    note(t - from_ps_);
    from_ps_ = -1;
  }
  /// No change comes any more. A cut that lasts is one for ever (kNever).
  void end() {
    if (from_ps_ >= 0) note(kNever);
    from_ps_ = -1;
  }
  /// The outage with which the run starts, and the longest of the later ones; 0: none.
  TimePs at_start_ps() const { return at_start_ps_; }
  TimePs later_ps() const { return later_ps_; }
  TimePs longest_ps() const { return std::max(at_start_ps_, later_ps_); }

 private:
  void note(TimePs cut_ps) {
    TimePs& longest_ps = from_ps_ == 0 ? at_start_ps_ : later_ps_;
    longest_ps = std::max(longest_ps, cut_ps);
  }

  TimePs from_ps_ = -1, at_start_ps_ = 0, later_ps_ = 0;
};

/// The worst state of a switch: the capacity of its links to higher tiers, against that of its links to lower ones.
struct Shortage {
  NodeId node = kNone;
  u64 up_bits_per_s = 0, down_bits_per_s = 0, nominal_bits_per_s = 0;
  TimePs from_ps = 0;
  TimePs longest_cut_ps = 0;  // kNever: for ever
  double ratio() const { return static_cast<double>(up_bits_per_s) / static_cast<double>(down_bits_per_s); }
};

/// The least uplink capacity of a switch, over all instants at which one of its uplinks changes, and the longest time
/// without any.
Shortage worst_of(const World& world, NodeId node) {
  const Fabric& f = world.fabric;
  Shortage worst;
  worst.node = node;
  std::set<TimePs> instants;
  std::vector<LinkId> uplinks;
  for (u32 p = 0; p < f.nodes[node].ports; ++p) {
    const LinkId l = f.nodes[node].first_link + p;
    const Tier other = f.nodes[f.links[l].dst].tier, own = f.nodes[node].tier;
    if (other < own) worst.down_bits_per_s += bits_per_s_of(f.links[l].ps_per_byte_q16);
    if (other <= own) continue;
    uplinks.push_back(l);
    for (const LinkChange& change : world.failures.of(l)) instants.insert(change.at_ps);
  }
  const auto up_at = [&](TimePs t) {
    u64 sum = 0;
    for (const LinkId l : uplinks) sum += bits_per_s_now(state_at(f, world.failures, l, t));
    return sum;
  };
  worst.nominal_bits_per_s = worst.up_bits_per_s = up_at(-1);
  LongestCut cut;
  for (const TimePs t : instants) {
    const u64 up = up_at(t);
    if (up < worst.up_bits_per_s) worst.up_bits_per_s = up, worst.from_ps = t;
    cut.at(t, up == 0);
  }
  cut.end();
  worst.longest_cut_ps = cut.longest_ps();
  return worst;
}

std::vector<Shortage> shortages_of(const World& world) {
  std::vector<Shortage> all;
  for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n) {
    const Shortage worst = worst_of(world, n);
    if (worst.down_bits_per_s != 0 && worst.up_bits_per_s < worst.nominal_bits_per_s) all.push_back(worst);
  }
  std::ranges::stable_sort(all, {}, &Shortage::ratio);
  return all;
}

/// When all ports of a NIC are down.
LongestCut cuts_of_nic(const World& world, EndpointId endpoint) {
  const Fabric& f = world.fabric;
  const LinkId first = f.nodes[endpoint].first_link;
  std::set<TimePs> instants;
  for (u32 p = 0; p < f.nic_ports; ++p)
    for (const LinkChange& change : world.failures.of(first + p)) instants.insert(change.at_ps);
  LongestCut cut;
  for (const TimePs t : instants) {
    bool all_down = true;
    for (u32 p = 0; p < f.nic_ports; ++p) all_down = all_down && !state_at(f, world.failures, first + p, t).up();
    cut.at(t, all_down);
  }
  cut.end();
  return cut;
}

TimePs roce_patience_ps(const World& world) {
  return world.roce.rto_ps == 0 ? kNever : world.roce.rto_ps * (world.roce.rto_tries + 1);
}

/// The least time for which a TCP connection tries: each timeout in a row is twice the one before (MODEL.md, 8.11).
TimePs tcp_patience_ps(const TcpSettings& tcp) {
  TimePs sum = 0;
  for (u32 k = 0; k <= tcp.retries; ++k) {
    const u32 doubled = std::min(k, kTcpMaxBackoff);
    sum += tcp.rto_min_ps > (tcp.rto_max_ps >> doubled) ? tcp.rto_max_ps : tcp.rto_min_ps << doubled;
  }
  return sum;
}

/// For how long the queue pairs with data try, the less patient of both transports.
TimePs patience_ps(const World& world) {
  const bool tcp = carries_data(world, Transport::tcp), roce = !carries_tcp_only(world);
  return std::min(roce ? roce_patience_ps(world) : kNever, tcp ? tcp_patience_ps(world.tcp) : kNever);
}

/// "(roce.rto_tries + 1) * roce.rto = 34.36 s", the like of TCP, or both.
std::string patience_text(const World& world) {
  const std::string roce =
      world.roce.rto_ps == 0 ? "for ever, as roce.rto is 0"
                             : fmt::format("(roce.rto_tries + 1) * roce.rto = {}", time_text(roce_patience_ps(world)));
  if (!carries_data(world, Transport::tcp)) return roce;
  const std::string tcp = fmt::format("tcp.retries + 1 timeouts, from tcp.rto_min doubled up to tcp.rto_max, take {}",
                                      time_text(tcp_patience_ps(world.tcp)));
  return carries_tcp_only(world) ? tcp : fmt::format("RoCE: {}; TCP: {}", roce, tcp);
}

/// Whether NICs with several ports do not send by this leaf at t, as it is down with all their cables.
bool is_avoided(const World& world, NodeId leaf, TimePs t) {
  const Fabric& f = world.fabric;
  if (f.nic_ports == 1) return false;
  u32 nics = 0;
  for (LinkId l = f.nodes[leaf].first_link; l < f.nodes[leaf].first_link + f.nodes[leaf].ports; ++l) {
    if (f.links[l].dst >= f.endpoints) continue;
    ++nics;
    if (state_at(f, world.failures, l, t).up()) return false;
  }
  return nics != 0;
}

/// "from 2 ms on"
std::string since_text(TimePs from_ps) {
  return from_ps == 0 ? "from the start" : fmt::format("from {} on", time_text(from_ps));
}

void warn_about_cut_off_switches(const World& world, std::vector<std::string>& warnings) {
  std::vector<Shortage> cut = shortages_of(world);
  std::erase_if(cut, [&](const Shortage& s) {
    return s.longest_cut_ps <= patience_ps(world) || is_avoided(world, s.node, s.from_ps);
  });
  if (cut.empty()) return;
  warnings.push_back(
      fmt::format("failures cut {} switches off from all that is above them for longer than queue pairs try "
                  "({}), e.g. {} {}: if an endpoint below has anything to send to, or to "
                  "receive from, the others then, its queue pair fails, and that ends the run",
                  cut.size(), patience_text(world), world.fabric.names[cut[0].node], since_text(cut[0].from_ps)));
}

/// NICs, and the cable of the first of them.
struct CutNics {
  u64 count = 0;
  LinkId example = kNone;
  void add(LinkId cable) {
    if (count++ == 0) example = cable;
  }
};

/// What such a NIC has to send waits; a timer starts with the first packet that leaves.
void warn_about_nics_cut_from_start(const World& world, const CutNics& cut, std::vector<std::string>& warnings) {
  if (cut.count == 0) return;
  const bool one = cut.count == 1, tries = patience_ps(world) < kNever;
  warnings.push_back(fmt::format(
      "all cables of {} are down at the start{}, e.g. {}: what {} to send never leaves the NIC, so nothing times out "
      "and no queue pair of {} fails; unless the cable comes up, the run stalls and ends with unfinished messages. "
      "What others send there is lost{}. Place the traffic on other GPUs, or let the cable work",
      counted(cut.count, "NIC"),
      tries ? fmt::format(" for longer than queue pairs try ({})", patience_text(world)) : " and never come up",
      link_name(world.fabric, cut.example), one ? "it has" : "they have", one ? "it" : "them",
      tries ? ": their queue pairs fail, and that ends the run" : ""));
}

void warn_about_cut_off_nics(const World& world, std::vector<std::string>& warnings) {
  const Fabric& f = world.fabric;
  CutNics at_start, later;
  for (EndpointId e = 0; e < f.endpoints; ++e) {
    const LongestCut cut = cuts_of_nic(world, e);
    if (cut.at_start_ps() > patience_ps(world) || cut.at_start_ps() == kNever) at_start.add(f.nodes[e].first_link);
    if (cut.later_ps() > patience_ps(world)) later.add(f.nodes[e].first_link);
  }
  warn_about_nics_cut_from_start(world, at_start, warnings);
  if (later.count == 0) return;
  warnings.push_back(fmt::format(
      "failures cut {} off for longer than their queue pairs try ({}), e.g. {}: if one has sent anything that is not "
      "acknowledged then, or has anything to receive, the queue pair fails, and that ends the run",
      counted(later.count, "NIC"), patience_text(world), link_name(f, later.example)));
}

void warn_about_given_paths(const World& world, std::vector<std::string>& warnings) {
  if (!world.routing.paths_are_given()) return;
  warnings.push_back(
      "routing.policy = \"explicit\": the paths stay as they are when cables on them go down, and packets are lost "
      "until these are up again");
}

/// "4 cables are down from the start; 8 changes of 6 cables (5 times down), from 1 ms to 3 ms".
std::string changes_text(const World& world) {
  const Fabric& f = world.fabric;
  u64 dead = 0, cables = 0, changes = 0, down = 0;
  TimePs first_ps = kNever, last_ps = 0;
  for (LinkId l = 0; l < f.links.size(); ++l) {
    const auto all = world.failures.of(l);
    if (f.links[l].reverse < l || all.empty()) continue;
    if (all.size() == 1 && all[0].at_ps == 0 && !all[0].state.up()) {
      ++dead;
      continue;
    }
    ++cables;
    changes += all.size();
    for (const LinkChange& change : all) down += !change.state.up();
    first_ps = std::min(first_ps, all.front().at_ps);
    last_ps = std::max(last_ps, all.back().at_ps);
  }
  std::string text;
  if (dead != 0) text = fmt::format("{} {} down from the start", counted(dead, "cable"), dead == 1 ? "is" : "are");
  if (changes == 0) return text;
  return text + fmt::format("{}{} of {} ({} down), from {} to {}", dead == 0 ? "" : "; ", counted(changes, "change"),
                            counted(cables, "cable"), counted(down, "time"), time_text(first_ps), time_text(last_ps));
}

/// Copies the rows that switches have from `t` on.
void take_rows(const Routing& from, TimePs t, Routing& to) {
  for (u64 s = 0; s < from.table.row_of.size(); ++s)
    to.table.row_of[s] = from.row_of(static_cast<NodeId>(from.first_switch + s), t);
}

/// Of NICs with several ports: how many lose some.
std::string ports_text(const World& world) {
  u64 nics = 0, whole = 0;
  const u32 all = (1u << world.fabric.nic_ports) - 1;
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    const auto changes = world.failures.ports_out_of(e);
    nics += !changes.empty();
    whole += std::ranges::any_of(changes, [all](const PortsOut& out) { return out.own == all; });
  }
  if (nics == 0) return "";
  return fmt::format("           ports of {} go out of service; queue pairs use the other ports meanwhile{}\n",
                     counted(nics, "NIC"),
                     whole == 0 ? "" : fmt::format(", but at {} of them no port is left at some time", whole));
}

}  // namespace

bool differs_at_start(const World& world) {
  return std::ranges::any_of(world.routing.row_changes, [](const auto& change) { return change.from_ps == 0; });
}

std::string outages_text(const World& world) {
  if (world.failures.none()) return "";
  const Fabric& f = world.fabric;
  std::string text = fmt::format("failures   {}\n", changes_text(world));
  const std::vector<Shortage> shortages = shortages_of(world);
  for (std::size_t i = 0; i < std::min(shortages.size(), kMaxSwitches); ++i) {
    const Shortage& s = shortages[i];
    text += fmt::format("           {}: {} of {} upwards {}, for {} below: 1:{:.2f}{}\n", f.names[s.node],
                        rate_text(s.up_bits_per_s), rate_text(s.nominal_bits_per_s), since_text(s.from_ps),
                        rate_text(s.down_bits_per_s), s.ratio(), s.ratio() < 1 ? ", less than 1:1" : "");
  }
  if (shortages.size() > kMaxSwitches)
    text +=
        fmt::format("           and {} switches more that lose capacity upwards\n", shortages.size() - kMaxSwitches);
  return text + ports_text(world);
}

std::vector<std::string> warnings_of_outages(const World& world) {
  std::vector<std::string> warnings;
  if (world.failures.none()) return warnings;
  warn_about_cut_off_nics(world, warnings);
  warn_about_cut_off_switches(world, warnings);
  warn_about_given_paths(world, warnings);
  return warnings;
}

LaterRoutes later_routes(const World& world) {
  LaterRoutes found;
  if (!world.routing.rows_change()) return found;
  std::set<TimePs> instants;
  for (const Routing::RowChange& change : world.routing.row_changes) instants.insert(change.from_ps);
  World later = world;
  later.routing.row_change_first.clear();
  later.routing.row_changes.clear();
  std::set<std::vector<u32>> seen{world.routing.table.row_of};
  for (const TimePs t : instants) {
    take_rows(world.routing, t, later.routing);
    if (seen.contains(later.routing.table.row_of)) continue;
    if (found.looked_at == kMaxVersions) {
      found.all = false;
      break;
    }
    seen.insert(later.routing.table.row_of);
    ++found.looked_at;
    if (down_and_up(later).empty()) continue;
    const std::string cycle = buffer_dependency_cycle(later);
    if (cycle.empty()) continue;
    found.warning = fmt::format(
        "buffer-dependency cycle with the routes {}, {}: with PFC these links can wait for each "
        "other for ever: {}; {}",
        since_text(t), t == 0 ? "with cables down" : "after failures", cycle, advice_against_deadlock(world));
    break;
  }
  return found;
}

}  // namespace heddle
