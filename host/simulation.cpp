#include "host/simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include "io/results/writer.hpp"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr u32 bit(EventKind kind) { return 1u << static_cast<u32>(kind); }

/// What the outputs need of the engine.
u32 recorded_kinds_of(const OutputOptions& output) {
  u32 kinds = bit(EventKind::message_received) | bit(EventKind::message_acked) | bit(EventKind::rank_entered) |
              bit(EventKind::rank_finished);
  if (output.pfc_events || !output.pfc_file.empty()) kinds |= bit(EventKind::pause) | bit(EventKind::resume);
  if (output.drop_events) kinds |= bit(EventKind::drop);
  return kinds;
}

EngineOptions with_recording(EngineOptions options, const OutputOptions& output) {
  options.recorded_kinds |= recorded_kinds_of(output);
  return options;
}

}  // namespace

Simulation::Simulation(const World& world, const EngineOptions& engine_options, const OutputOptions& output,
                       Exchange* exchange)
    : output_(output),
      engine_(exchange == nullptr ? RankedEngine(world, with_recording(engine_options, output))
                                  : RankedEngine(world, with_recording(engine_options, output), *exchange)),
      counters_(world.fabric.links.size()) {}

bool Simulation::series_wanted() const { return recording_ && output_.series_interval_ps > 0; }

SimulationResult Simulation::run(ResultWriter* writer, const Observer& observer) {
  const Clock::time_point start = Clock::now();
  writer_ = writer;
  const i64 silent = writer == nullptr;
  recording_ = engine_.least({&silent, 1})[0] == 0;
  if (series_wanted()) next_series_ps_ = output_.series_interval_ps;
  while (advance()) {
    take_events();
    if (engine_.now_ps() >= next_series_ps_) observe_series(next_series_ps_);
    const bool full = writer_ != nullptr && writer_->full();
    if (!all_go_on(observer(engine_.now_ps(), engine_.totals()), full)) break;
  }
  take_events();
  result_.outcome = engine_.outcome();
  // the last row is the end of the run, so that it holds the final counts
  const bool cut = result_.interrupted || result_.output_full;
  const TimePs end_ps = cut ? engine_.now_ps() : result_.outcome.end_ps;
  if (series_wanted() && end_ps > last_series_ps_) observe_series(end_ps);

  Perf& perf = result_.perf;
  perf.wall_s = seconds_since(start);
  perf.packet_hops = result_.outcome.totals.packet_hops;
  perf.memory_bytes = engine_.memory_bytes();
  const ExchangeCost cost = engine_.exchange_cost();
  perf.exchanges = cost.exchanges;
  perf.exchanged_bytes = cost.sent_bytes;
  perf.phases = {{"advance", advance_wall_s_}, {"observe", perf.wall_s - advance_wall_s_}};
  if (cost.exchanges > 0) perf.phases.push_back({"exchange", cost.wait_s});  // a part of advance
  return std::move(result_);
}

/// The ranks agree on whether to stop, and on the length of the next step.
bool Simulation::all_go_on(bool go_on, bool output_full) {
  const std::vector<i64> least = engine_.least(std::array{i64{go_on}, i64{!output_full}, step_ps_});
  result_.output_full = least[1] == 0;
  result_.interrupted = least[0] == 0 && !result_.output_full;
  step_ps_ = least[2];
  return !result_.output_full && !result_.interrupted;
}

bool Simulation::advance() {
  const TimePs until_ps = std::min(next_series_ps_, engine_.now_ps() + step_ps_);
  const Clock::time_point before = Clock::now();
  const bool running = engine_.advance(until_ps);
  const double wall_s = seconds_since(before);
  advance_wall_s_ += wall_s;
  if (wall_s < 0.05) step_ps_ = std::min(step_ps_ * 2, kNever / 4);
  if (wall_s > 0.25) step_ps_ = std::max<TimePs>(step_ps_ / 2, 1'000'000);
  return running;
}

void Simulation::observe_series(TimePs time_ps) {
  engine_.link_counters(counters_);
  if (writer_ != nullptr) writer_->append_series(time_ps, counters_);
  last_series_ps_ = time_ps;
  next_series_ps_ = time_ps + output_.series_interval_ps;
}

void Simulation::take_events() {
  std::vector<Event> events = engine_.take_events();
  const auto is_pfc = [](const Event& e) { return e.kind == EventKind::pause || e.kind == EventKind::resume; };
  if (!output_.pfc_file.empty()) {
    std::copy_if(events.begin(), events.end(), std::back_inserter(result_.pfc_events), is_pfc);
  }
  if (!output_.pfc_events) std::erase_if(events, is_pfc);  // they were recorded for pfc_file only
  if (writer_ != nullptr && !events.empty()) writer_->append_events(events);
}

}  // namespace heddle
