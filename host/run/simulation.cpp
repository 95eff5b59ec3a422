#include "host/run/simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include "host/config/options.hpp"
#include "host/scenario/controller/measured.hpp"
#include "io/error.hpp"
#include "io/results/writer.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

u64 nanoseconds_of(double seconds) { return static_cast<u64>(std::max(seconds, 0.0) * 1e9); }

constexpr u32 bit(EventKind kind) { return 1u << static_cast<u32>(kind); }

/// The kinds of events that the outputs need from the engine.
u32 recorded_kinds_of(const OutputOptions& output) {
  u32 kinds = bit(EventKind::message_received) | bit(EventKind::message_acked) | bit(EventKind::rank_entered) |
              bit(EventKind::rank_finished) | bit(EventKind::failure);
  if (output.pfc_events || !output.pfc_file.empty()) kinds |= bit(EventKind::pause) | bit(EventKind::resume);
  if (output.drop_events) kinds |= bit(EventKind::drop);
  if (output.cts_waits) kinds |= bit(EventKind::cts_wait);
  if (output.gpu_time) kinds |= bit(EventKind::gpu_time);
  if (output.tcp_windows) kinds |= bit(EventKind::tcp_window);
  return kinds;
}

EngineOptions with_recording(EngineOptions options, const OutputOptions& output) {
  options.recorded_kinds |= recorded_kinds_of(output);
  return options;
}

}  // namespace

Simulation::Simulation(const World& world, const EngineOptions& engine_options, const OutputOptions& output,
                       Exchange* exchange, MeasuringController* controller)
    : output_(output),
      engine_(exchange == nullptr ? RankedEngine(world, with_recording(engine_options, output))
                                  : RankedEngine(world, with_recording(engine_options, output), *exchange)),
      controller_(controller),
      completed_(world),
      counters_(world.fabric.links.size()) {}

bool Simulation::series_wanted() const { return recording_ && output_.series_interval_ps > 0; }

void Simulation::load(const CheckpointReader& file, Checkpoints& checkpoints) {
  loop_ = checkpoints.load(file, engine_, completed_);
  earlier_ = loop_.history;
  loaded_ = true;
}

/// Checks the digest of the loaded state, with the same result on all ranks.
void Simulation::check_loaded() {
  if (engine_.state_digest() == loop_.state_digest) return;
  throw InputError(
      "the state in the checkpoint has not the digest of the one that was saved, so the run cannot resume from it: the "
      "file was changed, or, if nobody did that, it is a defect of the program (please report it); start anew with "
      "--force");
}

SimulationResult Simulation::run(ResultWriter* writer, const Observer& observer, Checkpoints* checkpoints) {
  start_ = Clock::now();
  writer_ = writer;
  const i64 silent = writer == nullptr;
  recording_ = engine_.min({&silent, 1})[0] == 0;
  if (loaded_) check_loaded();
  if (series_wanted() && !loaded_) loop_.next_series_ps = output_.series_interval_ps;
  if (checkpoints != nullptr) next_checkpoint_ps_ = checkpoints->next_ps(engine_.now_ps());
  while (advance()) {
    take_events();
    if (engine_.now_ps() >= loop_.next_series_ps) observe_series(loop_.next_series_ps);
    let_controller_solve();
    const bool full = writer_ != nullptr && writer_->full();
    const bool due = checkpoints != nullptr && checkpoints->due_by_wall();
    const Wish wish = agreed(observer(engine_.now_ps(), engine_.totals()), full, due);
    if (wish == Wish::end) break;
    const bool save = wish == Wish::save_and_leave || save_now_ || engine_.now_ps() >= next_checkpoint_ps_;
    if (save && checkpoints != nullptr) {
      if (!engine_.can_save()) continue;  // the run is over, as the next advance() returns
      loop_.history = history();
      if (controller_ != nullptr) loop_.controller = controller_->words();
      checkpoints->save(engine_, writer_, loop_, completed_, wish == Wish::save_and_leave);
      next_checkpoint_ps_ = checkpoints->next_ps(engine_.now_ps());
    }
    if (wish == Wish::go_on) continue;
    result_.saved = true;
    return std::move(result_);
  }
  take_events();
  result_.pfc_events = std::move(loop_.pfc_events);
  result_.outcome = engine_.outcome();
  const bool cut = result_.interrupted || result_.output_full;
  if (series_wanted()) end_series(cut ? engine_.now_ps() : result_.outcome.end_ps);
  result_.perf = perf();
  if (checkpoints != nullptr) result_.perf.checkpoints = checkpoints->saved();
  return std::move(result_);
}

/// The history of this process run and those before, up to now. To be called by every rank.
RunHistory Simulation::history() const {
  const ExchangeCost cost = engine_.exchange_cost();
  RunHistory history = earlier_;
  history.process_runs += 1;
  history.wall_ns += nanoseconds_of(seconds_since(start_));
  history.advance_ns += nanoseconds_of(advance_wall_s_);
  history.exchange_ns += nanoseconds_of(cost.wait_s);
  history.exchanges += cost.exchanges;
  history.exchanged_bytes += cost.sent_bytes;
  return history;
}

/// The performance since the start of the run, hops and time alike.
Perf Simulation::perf() const {
  const RunHistory all = history();
  const auto seconds = [](u64 ns) { return static_cast<double>(ns) * 1e-9; };
  Perf perf;
  perf.process_runs = all.process_runs;
  perf.wall_s = seconds(all.wall_ns);
  perf.packet_hops = result_.outcome.totals.packet_hops;
  perf.memory_bytes = engine_.memory_bytes();
  perf.exchanges = all.exchanges;
  perf.exchanged_bytes = all.exchanged_bytes;
  perf.phases = {{"advance", seconds(all.advance_ns)}, {"observe", perf.wall_s - seconds(all.advance_ns)}};
  if (all.exchanges > 0) perf.phases.push_back({"exchange", seconds(all.exchange_ns)});  // part of advance
  return perf;
}

/// The agreement of all ranks on the end of the run, on whether to save, and on the length of the next step.
Wish Simulation::agreed(Wish wish, bool output_full, bool save) {
  const std::vector<i64> least =
      engine_.min(std::array{static_cast<i64>(wish), i64{!output_full}, i64{!save}, step_ps_});
  result_.output_full = least[1] == 0;
  result_.interrupted = least[0] == static_cast<i64>(Wish::end) && !result_.output_full;
  save_now_ = least[2] == 0;
  step_ps_ = least[3];
  return result_.output_full ? Wish::end : static_cast<Wish>(least[0]);
}

TimePs Simulation::next_solution_ps() const { return controller_ == nullptr ? kNever : controller_->next_ps(); }

bool Simulation::advance() {
  const TimePs until_ps =
      std::min({loop_.next_series_ps, next_checkpoint_ps_, next_solution_ps(), engine_.now_ps() + step_ps_});
  const Clock::time_point before = Clock::now();
  const bool running = engine_.advance(until_ps);
  const double wall_s = seconds_since(before);
  advance_wall_s_ += wall_s;
  if (wall_s < 0.05) step_ps_ = std::min(step_ps_ * 2, kNever / 4);
  if (wall_s > 0.25) step_ps_ = std::max<TimePs>(step_ps_ / 2, 1'000'000);
  return running;
}

/// Lets the controller solve when it is due; the time counts as the engine's.
void Simulation::let_controller_solve() {
  if (controller_ == nullptr || engine_.now_ps() < controller_->next_ps()) return;
  if (!engine_.can_save()) return;  // the run is over, as the next advance() returns
  const Clock::time_point before = Clock::now();
  controller_->solve(engine_);
  advance_wall_s_ += seconds_since(before);
}

void Simulation::observe_series(TimePs time_ps) {
  engine_.link_counters(counters_);
  const bool changed = writer_ == nullptr || writer_->append_series(time_ps, counters_);
  loop_.next_series_ps = time_ps + output_.series_interval_ps;
  if (!changed) observe_idle_time();
}

/// Writes all instants until the next event at once: a failure may be seconds after the end of the work.
void Simulation::observe_idle_time() {
  const TimePs idle_ps = std::min({engine_.idle_until_ps(), next_checkpoint_ps_, next_solution_ps()});
  if (loop_.next_series_ps > idle_ps) return;
  const TimePs more = (idle_ps - loop_.next_series_ps) / output_.series_interval_ps;
  loop_.next_series_ps += more * output_.series_interval_ps;
  writer_->append_same(static_cast<u64>(more) + 1, loop_.next_series_ps);
  loop_.next_series_ps += output_.series_interval_ps;
}

/// The last row is the end of the run, so that it holds the final counts.
void Simulation::end_series(TimePs end_ps) {
  engine_.link_counters(counters_);
  if (writer_ != nullptr) writer_->end_series(end_ps, loop_.next_series_ps, counters_);
}

void Simulation::take_events() {
  std::vector<Event> events = engine_.take_events();
  completed_.take(events);
  const auto is_pfc = [](const Event& e) { return e.kind == EventKind::pause || e.kind == EventKind::resume; };
  if (!output_.pfc_file.empty()) {
    std::copy_if(events.begin(), events.end(), std::back_inserter(loop_.pfc_events), is_pfc);
  }
  if (!output_.pfc_events) std::erase_if(events, is_pfc);  // recorded for pfc_file only
  if (writer_ != nullptr && !events.empty()) writer_->append_events(events);
}

}  // namespace heddle
