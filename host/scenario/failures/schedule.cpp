#include "host/scenario/failures/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "host/base/error.hpp"
#include "host/scenario/failures/ports_out.hpp"
#include "host/scenario/failures/route_changes.hpp"
#include "host/scenario/workload/exponential.hpp"
#include "io/nearest.hpp"
#include "io/units.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// More changes are a mistake in a unit rather than a schedule; they take 24 B each, and two per cable and failure.
constexpr u64 kMaxChanges = 4'000'000;

/// The draw that decides which cables are dead; outages count theirs from 0.
constexpr u64 kDeadDraw = ~u64{0};

/// A failure of a cable from `from_ps` until `until_ps`.
struct Trouble {
  TimePs from_ps = 0, until_ps = kNever;
  LinkState state;  // the worst state that it leaves
};

/// The troubles of both directions of a cable, under the lower of their numbers.
using TroublesOfCable = std::map<LinkId, std::vector<Trouble>>;

LinkId cable_of(const Fabric& fabric, LinkId link) { return std::min(link, fabric.links[link].reverse); }

std::string time_text(TimePs t) { return format_quantity(t, Quantity::time_ps); }

/// "gpu0 to gpu511, rtsw0 to rtsw31, ctsw0 to ctsw17": names that differ only in consecutive numbers are merged.
std::string runs_of(std::span<const std::string_view> names) {
  const auto word = [](std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); };
  std::string text;
  for (size_t first = 0, end = 0; first < names.size(); first = end) {
    while (end < names.size() && word(names[end]) == word(names[first])) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", names[first]);
    if (end - first > 1) text += fmt::format(" to {}", names[end - 1]);
  }
  return text;
}

NodeId node_named(const Fabric& fabric, const std::string& name, const std::string& key) {
  const auto found = std::ranges::find(fabric.names, name);
  if (found != fabric.names.end()) return static_cast<NodeId>(found - fabric.names.begin());
  const std::vector<std::string_view> all(fabric.names.begin(), fabric.names.end());
  const std::string near = nearest_word(name, all);
  throw ConfigError(fmt::format("{}: there is no node \"{}\"{}; the nodes are called {}", key, name,
                                near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), runs_of(all)));
}

std::vector<LinkId> cables_between(const Fabric& fabric, const FailureOptions& o, const std::string& where) {
  if (o.link.size() != 2) {
    throw ConfigError(
        fmt::format("{}.link: {} names; a cable joins two nodes: write link = [\"rtsw0\", \"ctsw1\"], or node = "
                    "\"ctsw1\" for all cables of a node",
                    where, o.link.size()));
  }
  const NodeId a = node_named(fabric, o.link[0], where + ".link");
  const NodeId b = node_named(fabric, o.link[1], where + ".link");
  std::vector<LinkId> cables;
  for (u32 p = 0; p < fabric.nodes[a].ports; ++p) {
    const LinkId link = fabric.nodes[a].first_link + p;
    if (fabric.links[link].dst == b) cables.push_back(cable_of(fabric, link));
  }
  if (cables.empty() || o.cable > cables.size()) {
    throw ConfigError(fmt::format("{}.{}: {} and {} are joined by {} cables{}", where,
                                  cables.empty() ? "link" : "cable", o.link[0], o.link[1], cables.size(),
                                  cables.empty() ? "; name two neighbours" : fmt::format(", not by {}", o.cable)));
  }
  if (o.cable > 0) cables = {cables[o.cable - 1]};
  return cables;
}

std::vector<LinkId> cables_of(const Fabric& fabric, const FailureOptions& o, const std::string& where) {
  if (o.link.empty() == o.node.empty()) {
    throw ConfigError(where + (o.node.empty() ? ": nothing fails; give link (two names) or node (one)"
                                              : ": both link and node are given; keep the one that fails"));
  }
  if (!o.link.empty()) return cables_between(fabric, o, where);
  if (o.cable > 0) throw ConfigError(where + ".cable: a node fails with all its cables; remove cable, or give link");
  const Node& node = fabric.nodes[node_named(fabric, o.node, where + ".node")];
  std::vector<LinkId> cables;
  for (u32 p = 0; p < node.ports; ++p) cables.push_back(cable_of(fabric, node.first_link + p));
  return cables;
}

LinkState state_of(const FailureOptions& o, const Fabric& fabric, LinkId cable, const std::string& where) {
  const u32 line = fabric.links[cable].ps_per_byte_q16;
  if (o.kind == "down") return {};
  if (o.kind == "bit_errors") {
    const double lost = -std::expm1(8 * std::log1p(-o.bit_error_rate));  // probability for a byte
    return {line, std::max<u64>(1, static_cast<u64>(std::ldexp(lost, 64)))};
  }
  const u32 speed = ps_per_byte_q16_of(o.rate_bits_per_s);
  if (speed <= speed_of(line)) {
    throw ConfigError(fmt::format("{}.rate: {} is not below the line rate of {} - {}; a link that degrades is slower",
                                  where, format_quantity(static_cast<i64>(o.rate_bits_per_s), Quantity::bits_per_s),
                                  fabric.names[fabric.links[cable].src], fabric.names[fabric.links[cable].dst]));
  }
  return {speed | (line & kWholeNanoseconds), 0};
}

void check_times(const FailureOptions& o, const std::string& where) {
  if (o.until_ps != 0 && o.until_ps <= o.at_ps) {
    throw ConfigError(fmt::format("{}.until: {} is not after at = {}; give a later time, or 0 for ever", where,
                                  time_text(o.until_ps), time_text(o.at_ps)));
  }
  if (o.times == 1) {
    if (o.period_ps == 0) return;
    throw ConfigError(where + ".period: it happens once, so it has no period; give times, or remove period");
  }
  if (o.until_ps == 0) throw ConfigError(where + ".times: it is never over, so it cannot happen again; give until");
  if (o.period_ps <= o.until_ps - o.at_ps) {
    throw ConfigError(
        fmt::format("{}.period: {} is not more than the {} that it lasts each time; give more, or less "
                    "from at to until",
                    where, time_text(o.period_ps), time_text(o.until_ps - o.at_ps)));
  }
  if (o.period_ps > (TimePs{1} << 62) / o.times)
    throw ConfigError(where + ".times: the last of them lies beyond all times; give fewer, or a shorter period");
}

class Schedule {
 public:
  explicit Schedule(const Fabric& fabric) : fabric_(fabric) {}

  void add(const FailureOptions& o, const std::string& where) {
    check_times(o, where);
    const std::vector<LinkId> cables = cables_of(fabric_, o, where);
    if (o.kind == "none") return;
    for (const LinkId cable : cables) {
      const LinkState state = state_of(o, fabric_, cable, where);
      for (u32 i = 0; i < o.times; ++i) {
        const TimePs later = i * o.period_ps;
        add_trouble(cable, {o.at_ps + later, o.until_ps == 0 ? kNever : o.until_ps + later, state});
      }
    }
  }

  /// Those that chance puts first.
  void add_dead(const FailureSettings& s) {
    if (s.dead_fraction == 0) return;
    std::vector<std::pair<u64, LinkId>> order;
    for (const LinkId cable : cables_by_chance(s, fabric_)) {
      order.emplace_back(hash64(s.seed, Stream::failure, place_of(cable), kDeadDraw), cable);
    }
    std::ranges::sort(order);
    order.resize(dead_cables(s.dead_fraction, order.size()));
    for (const auto& [chance, cable] : order) add_trouble(cable, {0, kNever, {}});
  }

  void add_random(const FailureSettings& s, TimePs horizon_ps) {
    if (s.mtbf_hours == 0) return;
    const TimePs until_ps = s.until_ps != 0 ? s.until_ps : horizon_ps;
    if (until_ps >= kNever) {
      throw ConfigError(
          "failures.mtbf_hours: random failures need an end, or they would never stop; give failures.until or "
          "simulation.horizon");
    }
    for (const LinkId cable : cables_by_chance(s, fabric_)) add_random_of(cable, s, until_ps);
  }

  Failures take() const {
    Failures failures;
    if (troubles_.empty()) return failures;
    failures.first.push_back(0);
    for (LinkId l = 0; l < fabric_.links.size(); ++l) {
      const auto found = troubles_.find(cable_of(fabric_, l));
      if (found != troubles_.end()) add_changes(l, found->second, failures.changes);
      failures.first.push_back(static_cast<u32>(failures.changes.size()));
    }
    return failures;
  }

 private:
  /// What chance says of a cable is said of its direction with the lower number.
  u64 place_of(LinkId cable) const { return (u64{fabric_.links[cable].src} << 32) | fabric_.links[cable].src_port; }

  void add_trouble(LinkId cable, const Trouble& trouble) {
    troubles_[cable].push_back(trouble);
    if (++count_ * 4 <= kMaxChanges) return;
    throw ConfigError(
        fmt::format("failures: cables change more than {} times in all; give fewer times, a longer "
                    "failures.mtbf_hours, or an earlier failures.until",
                    kMaxChanges));
  }

  /// Adds failures and repairs in turn; the cable is up at 0.
  void add_random_of(LinkId cable, const FailureSettings& s, TimePs until_ps) {
    constexpr u64 kNanoHourPs = 3'600'000;
    const auto mtbf_ps = static_cast<unsigned __int128>(std::llround(s.mtbf_hours * 1e9)) * kNanoHourPs;
    u64 draw = 0;
    const auto wait_ps = [&](unsigned __int128 mean_ps) {
      const u64 log_q32 = negative_log_q32(hash64(s.seed, Stream::failure, place_of(cable), draw++) | 1);
      return std::max<unsigned __int128>(1, mean_ps * log_q32 >> 32);
    };
    for (TimePs t = 0;;) {
      const unsigned __int128 up_ps = wait_ps(mtbf_ps), down_ps = wait_ps(static_cast<u64>(s.mttr_ps));
      if (up_ps >= static_cast<unsigned __int128>(until_ps - t)) return;
      t += static_cast<TimePs>(up_ps);
      const bool over = down_ps < static_cast<unsigned __int128>(until_ps - t);
      add_trouble(cable, {t, over || down_ps < kNever / 2 ? t + static_cast<TimePs>(down_ps) : kNever, {}});
      if (!over) return;
      t += static_cast<TimePs>(down_ps);
    }
  }

  /// The worst of several simultaneous troubles: down, else the slowest rate and the most bit errors.
  LinkState worst_at(TimePs t, LinkId link, const std::vector<Trouble>& active) const {
    LinkState state = nominal_state(fabric_.links[link]);
    for (const Trouble& trouble : active) {
      if (trouble.from_ps > t || trouble.until_ps <= t) continue;
      if (!trouble.state.up()) return {};
      state.ps_per_byte_q16 = std::max(state.ps_per_byte_q16, trouble.state.ps_per_byte_q16);
      state.loss_q64 = std::max(state.loss_q64, trouble.state.loss_q64);
    }
    return state;
  }

  void add_changes(LinkId link, std::vector<Trouble> troubles, std::vector<LinkChange>& changes) const {
    std::ranges::sort(troubles, {}, &Trouble::from_ps);
    std::vector<TimePs> instants;
    for (const Trouble& trouble : troubles) {
      instants.push_back(trouble.from_ps);
      if (trouble.until_ps < kNever) instants.push_back(trouble.until_ps);
    }
    std::ranges::sort(instants);
    instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
    LinkState before = nominal_state(fabric_.links[link]);
    std::vector<Trouble> active;
    auto next = troubles.begin();
    for (const TimePs t : instants) {
      std::erase_if(active, [&](const Trouble& trouble) { return trouble.until_ps <= t; });
      for (; next != troubles.end() && next->from_ps <= t; ++next) active.push_back(*next);
      const LinkState state = worst_at(t, link, active);
      if (state == before) continue;
      changes.push_back({t, state});
      before = state;
    }
  }

  const Fabric& fabric_;
  TroublesOfCable troubles_;
  u64 count_ = 0;
};

}  // namespace

std::vector<LinkId> cables_by_chance(const FailureSettings& settings, const Fabric& fabric) {
  std::vector<LinkId> cables;
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    const Link& link = fabric.links[l];
    const bool nic = link.src < fabric.endpoints || link.dst < fabric.endpoints;
    if (link.reverse > l && settings.cables != (nic ? "switches" : "nics")) cables.push_back(l);
  }
  return cables;
}

u64 dead_cables(double fraction, u64 cables) {
  return static_cast<u64>(std::llround(fraction * static_cast<double>(cables)));
}

void add_failures(const FailureSettings& settings, std::span<const FailureOptions> failures, World& world) {
  if (settings.detect_ps > settings.converge_ps) {
    throw ConfigError(
        fmt::format("failures.converge: {} is less than detect = {}, but nobody far away can know before "
                    "the switches of the cable do; give at least that",
                    time_text(settings.converge_ps), time_text(settings.detect_ps)));
  }
  Schedule schedule(world.fabric);
  for (size_t i = 0; i < failures.size(); ++i) schedule.add(failures[i], fmt::format("failure[{}]", i));
  schedule.add_dead(settings);
  schedule.add_random(settings, world.clocks.horizon_ps);
  world.failures = schedule.take();
  add_route_changes(settings.detect_ps, settings.converge_ps, world);
  add_ports_out(settings.detect_ps, settings.converge_ps, world);
}

}  // namespace heddle
