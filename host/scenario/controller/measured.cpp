#include "host/scenario/controller/measured.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "host/scenario/controller/cspf.hpp"
#include "kernels/base/words.hpp"

namespace heddle {
namespace {

void append_entries(const RouteEntries& entries, std::vector<u64>& words) {
  words.push_back(static_cast<u64>(entries.from_ps));
  words.push_back(entries.first.size());
  words.insert(words.end(), entries.first.begin(), entries.first.end());
  words.push_back(entries.entries.size());
  append_records(words, std::span<const RouteEntry>(entries.entries));
}

std::vector<u32> narrow(std::span<const u64> words) { return {words.begin(), words.end()}; }

RouteEntries entries_of(WordSource& source) {
  RouteEntries entries;
  entries.from_ps = static_cast<TimePs>(source.word());
  entries.first = narrow(source.words(source.word()));
  entries.entries = records_of<RouteEntry>(source.words(source.word()));
  return entries;
}

/// Checks that an engine can use the entries.
void check_entries(const RouteEntries& entries, const World& world) {
  const Fabric& f = world.fabric;
  bool fits = entries.first.size() == f.links.size() + 1 && entries.first.front() == 0 &&
              std::ranges::is_sorted(entries.first) && entries.first.back() == entries.entries.size();
  for (LinkId l = 0; fits && l < f.links.size(); ++l) {
    for (u32 i = entries.first[l]; i < entries.first[l + 1]; ++i) {
      const RouteEntry& e = entries.entries[i];
      fits = fits && e.group < world.routing.table.groups && e.port < f.nodes[f.links[l].src].ports;
    }
  }
  if (!fits) throw std::out_of_range("the controller's entries are of another fabric");
}

}  // namespace

MeasuringController::MeasuringController(World& world)
    : world_(world), pairs_(pairs_of_workload(world)), first_(world.fabric.endpoints + 1, 0), plans_(world) {
  for (const auto& [src, group] : pairs_) ++first_[src + 1];
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) first_[e + 1] += first_[e];
  seen_.assign(pairs_.size(), 0);
}

/// [pair] received packets, mod 2^32.
std::vector<u64> MeasuringController::received(const RankedEngine& engine) const {
  std::vector<u64> packets(pairs_.size(), 0);
  engine.visit_received([&](EndpointId src, EndpointId dst, u32, u32 count) {
    const u32 group = world_.routing.group_of[dst];
    if (world_.routing.group_of[src] == group) return;
    const auto first = pairs_.begin() + first_[src], end = pairs_.begin() + first_[src + 1];
    const auto pair = std::lower_bound(first, end, std::pair(src, group));
    if (pair == end || pair->second != group) throw std::logic_error("measured: a NIC has sent to a rack unforeseen");
    packets[static_cast<u64>(pair - pairs_.begin())] += count;
  });
  engine.sum(packets);
  return packets;
}

TimePs MeasuringController::next_measurement_ps() const {
  const Routing& routing = world_.routing;
  if (plans_.travel() && measured_ >= routing.control.periods) return kNever;
  return first_solution_ps(routing) + static_cast<TimePs>(measured_) * solution_period_ps(routing);
}

TimePs MeasuringController::next_ps() const { return std::min(next_measurement_ps(), plans_.next_ps()); }

/// What NICs have sent to racks since the last call.
std::vector<RackDemand> MeasuringController::measure(const RankedEngine& engine) {
  const std::vector<u64> packets = received(engine);
  std::vector<RackDemand> demands;
  for (u64 i = 0; i < pairs_.size(); ++i) {
    const u32 now = static_cast<u32>(packets[i]), since = now - seen_[i];
    seen_[i] = now;
    if (since != 0) demands.push_back({pairs_[i].first, pairs_[i].second, since});
  }
  return demands;
}

/// The demands for which there is a plan that comes into force at `now_ps`, and when they were measured.
std::optional<PlansUnderway::Plan> MeasuringController::plan_for(TimePs now_ps, const RankedEngine& engine) {
  std::optional<PlansUnderway::Plan> plan;
  const bool measures = next_measurement_ps() == now_ps;
  if (plans_.next_ps() == now_ps) plan = plans_.take_arrived(engine);
  if (!measures) return plan;
  PlansUnderway::Plan measured{measured_++, now_ps, measure(engine)};
  if (measured.demands.empty()) return plan;
  if (!plans_.travel()) return measured;
  plans_.add(std::move(measured));
  return plan;
}

void MeasuringController::solve(RankedEngine& engine) {
  const TimePs now_ps = next_ps();
  const std::optional<PlansUnderway::Plan> plan = plan_for(now_ps, engine);
  if (!plan) return;
  solve_traffic(plan->demands, plan->measured_ps, world_);
  world_.routing.controller.back().from_ps = now_ps;
  engine.go_on_with(world_);
}

std::vector<u64> MeasuringController::words() const {
  std::vector<u64> words = {measured_, seen_.size()};
  words.insert(words.end(), seen_.begin(), seen_.end());
  plans_.append_words(words);
  for (const RouteEntries& entries : world_.routing.controller) append_entries(entries, words);
  return words;
}

void MeasuringController::restore(std::span<const u64> words) {
  WordSource source(words);
  measured_ = source.word();
  std::vector<u32> seen = narrow(source.words(source.word()));
  if (seen.size() != seen_.size()) throw std::out_of_range("the controller has measured other pairs of NIC and rack");
  seen_ = std::move(seen);
  plans_.restore(source);
  world_.routing.controller.clear();
  while (!source.empty()) {
    RouteEntries entries = entries_of(source);
    check_entries(entries, world_);
    world_.routing.controller.push_back(std::move(entries));
  }
}

}  // namespace heddle
