#include "tests/property/run_variant.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/property/draw.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/ranks.hpp"

namespace heddle::property {
namespace {

/// Sufficient for these worlds; the default, most of the machine's memory, would be reserved anew for each of them.
constexpr u64 kPacketMemoryBytes = 64 << 20;

EngineOptions options_of(const Variant& variant, const RunSettings& settings, u32 leg) {
  EngineOptions options = variant.options;
  options.trace = true;
  options.recorded_kinds = settings.recorded_kinds;
  options.memory_limit_bytes = kPacketMemoryBytes;
  if (options.numbering_seed != 0) options.numbering_seed += leg;
  return options;
}

/// Returns where each leg but the last ends: anywhere before the end, mostly in the middle of a tick; half of them at
/// any order of magnitude before it, as ranks that resume there have the least time to learn of the event that ends the
/// run.
std::vector<TimePs> ends_of_legs(const Variant& variant, TimePs end_ps) {
  Draw draw(variant.cut_seed, "legs");
  std::vector<TimePs> ends_ps;
  const u64 last_ps = static_cast<u64>(std::max<TimePs>(end_ps, 2));
  for (std::size_t leg = 1; leg < variant.legs.size(); ++leg) {
    const u64 before_ps = draw.below(draw.percent(50) ? last_ps : std::max<u64>(last_ps >> draw.below(16), 1));
    ends_ps.push_back(static_cast<TimePs>(last_ps - before_ps));
  }
  std::sort(ends_ps.begin(), ends_ps.end());
  ends_ps.push_back(kNever);
  return ends_ps;
}

/// The state of a run after a leg.
struct Progress {
  bool over = false;
  Run run;
  std::vector<u64> saved;  // at now_ps; empty: nothing has been simulated
  TimePs now_ps = 0;
};

/// One engine, of any kind, for one leg.
template <class AnyEngine>
class Leg {
 public:
  Leg(AnyEngine& engine, const World& world, bool observed)
      : engine_(engine), observed_(observed), counters_(world.fabric.links.size()) {}

  /// Resumes from `before` and runs up to `until`.
  Progress run(const Progress& before, const std::vector<TimePs>& stops_ps, TimePs until) {
    if (!before.saved.empty()) {
      engine_.load(before.saved);
      engine_.go_on_at(before.now_ps);
    }
    Progress now;
    now.run = before.run;
    std::vector<u64>& digests = now.run.state_digests;
    bool goes_on = true;
    while (digests.size() < stops_ps.size() && stops_ps[digests.size()] <= until) {
      if (goes_on) goes_on = advance(stops_ps[digests.size()]);
      digests.push_back(goes_on ? engine_.state_digest() : kEnded);
    }
    if (goes_on) goes_on = advance(until);
    now.over = !goes_on;
    if (now.over) {
      end(now.run, stops_ps.size());
    } else {
      take_events();
      now.now_ps = engine_.now_ps();
      now.saved = saved(engine_);
    }
    std::vector<Event>& events = now.run.outcome.events;
    events.insert(events.end(), events_.begin(), events_.end());
    return now;
  }

 private:
  void end(Run& run, std::size_t stops) {
    std::vector<Event> earlier = std::move(run.outcome.events);
    run.outcome = engine_.outcome();
    std::move(earlier.begin(), earlier.end(), std::back_inserter(run.outcome.events));
    run.state_digests.resize(stops, kEnded);
    engine_.link_counters(counters_);
    for (const LinkCounters& c : counters_) run.link_marks += c.ecn_marks, run.link_drops += c.drops;
  }

  bool advance(TimePs until) {
    if (!observed_) return engine_.advance(until);
    for (;;) {
      const TimePs step_end = std::min(engine_.now_ps() + step_ps_, until);
      if (!engine_.advance(step_end)) return false;
      engine_.link_counters(counters_);
      take_events();
      if (engine_.now_ps() >= until) return true;
      step_ps_ += step_ps_ / 3 + 1;
    }
  }

  void take_events() {
    const std::vector<Event> taken = engine_.take_events();
    events_.insert(events_.end(), taken.begin(), taken.end());
  }

  AnyEngine& engine_;
  const bool observed_;
  std::vector<LinkCounters> counters_;
  std::vector<Event> events_;
  TimePs step_ps_ = 1'237;  // odd and growing: steps meet no grid and end in the middle of ticks
};

}  // namespace

Run run_variant(const World& world, const Variant& variant, const RunSettings& settings) {
  const std::vector<TimePs> ends_ps = ends_of_legs(variant, settings.end_ps);
  Progress progress;
  for (u32 leg = 0; !progress.over; ++leg) {
    const EngineOptions options = options_of(variant, settings, leg);
    const auto simulate = [&](auto& engine) {
      return Leg(engine, world, variant.observed).run(progress, settings.stops_ps, ends_ps[leg]);
    };
    if (variant.legs[leg] > 1) {
      progress = in_ranks(world, options, random_cut(world, variant.legs[leg], variant.cut_seed + leg), simulate);
      continue;
    }
    Engine engine(world, options);
    progress = simulate(engine);
  }
  return std::move(progress.run);
}

}  // namespace heddle::property
