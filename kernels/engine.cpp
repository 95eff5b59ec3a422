#include "kernels/engine.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/base/check.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/observe/events.hpp"
#include "kernels/observe/explain.hpp"
#include "kernels/observe/invariants/checker.hpp"
#include "kernels/observe/link_report.hpp"
#include "kernels/observe/received.hpp"
#include "kernels/observe/stuck.hpp"
#include "kernels/restart/load.hpp"
#include "kernels/restart/save.hpp"

namespace heddle {

namespace {

/// A run that nobody asked to check, of a build that checks all, is looked at until so many looks were taken, so that
/// deep queues do not make tests take hours. What passes check in themselves goes on.
constexpr u64 kUnaskedLooks = 10'000'000;

}  // namespace

struct Engine::Impl {
  TimePs horizon_ps, tick_ps;
  Model model;
  std::unique_ptr<Backend> backend;
  bool part = false;  // of a World
  Tick tick;
  u64 ticks = 0;
  TimePs stuck_ps;
  bool watchdog;                              // it ends deadlocks, so they do not end the run
  std::unique_ptr<InvariantChecker> checker;  // null: nothing is checked
  bool asked_to_check = false;
  std::vector<std::string> names;  // of the World's nodes
  std::vector<u32> first_links;    // of the World's nodes
  std::string deadlock;            // the cycle in words, once found
  TimePs exhausted_ps = kNever;    // start of the tick in which the memory for packets was used up
  std::vector<std::string> warnings;
  std::set<u32> warned;                 // links
  std::unique_ptr<StateLoader> loader;  // while a checkpoint is loaded
  bool first_part = true;
  std::vector<u64> received;  // bytes by message, at the last ending()

  /// Of an egress by its link's number in the World.
  std::string port_name(u32 link) const {
    const auto next = std::upper_bound(first_links.begin(), first_links.end(), link);
    const NodeId id = static_cast<NodeId>(next - first_links.begin() - 1);
    const std::string node = id < names.size() ? names[id] : "node " + std::to_string(id);
    return node + " port " + std::to_string(link - first_links[id]);
  }
  /// Nothing is held, on its way, or paused.
  bool quiet() const;
  bool any_paused() const;
  std::vector<StuckQueue> stuck() const;
  void judge(std::span<const StuckQueue> stuck);
  void end_after_failure();
  void go_on_failed();
  void stay_at(TimePs stop);
  void skip_idle(TimePs limit);
  void verify(const Tick& done, TimePs limit);
  /// Every instant before it has been simulated, and no later one.
  TimePs last_ps() const { return std::min(tick.from, horizon_ps); }
  bool ended() const { return tick.from >= kNever || tick.from >= horizon_ps; }
  bool broken() const { return *model.view.pool.exhausted != 0 || !deadlock.empty(); }
  bool qp_failed() const { return model.view.failure->kind != 0; }
};

bool Engine::Impl::quiet() const {
  if (tick.from >= kNever) return true;
  backend->fetch(true);
  const View& v = model.view;
  for (u64 q = 0; q < static_cast<u64>(v.links) * v.settings.classes; ++q) {
    if (v.head[tick.parity][q] != v.queue[q].tail) return false;
  }
  for (u64 a = 0; a < static_cast<u64>(v.links) * v.settings.pfc_classes; ++a) {
    if (v.account[a].pausing || v.account[a].occupancy_bytes != 0)
      return false;  // slow NICs hold what wires no more do
  }
  for (u32 l = 0; l < v.links; ++l) {
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
      if (!PauseTimeline(v, l, p, tick.parity).idle()) return false;
    }
  }
  return true;
}

bool Engine::Impl::any_paused() const {
  const Tally tally = backend->tally();
  return tally.count[static_cast<u32>(EventKind::pause)] != tally.count[static_cast<u32>(EventKind::resume)];
}

std::vector<StuckQueue> Engine::Impl::stuck() const {
  backend->fetch(true);
  return find_stuck(model, tick.from - stuck_ps);
}

/// Queues that have been paused for stuck_ps without a departure: a cycle ends the run, others are warned of once. All
/// parts are told of all queues, so one can warn of them all, in the order in which an engine of the World would.
void Engine::Impl::judge(std::span<const StuckQueue> stuck) {
  const std::vector<u32> cycle = watchdog ? std::vector<u32>{} : find_cycle(stuck);
  if (!cycle.empty()) {
    deadlock = "deadlock: each of these paused queues waits for the next, the last for the first: ";
    for (u32 link : cycle) deadlock += port_name(link) + " -> ";
    deadlock += port_name(cycle.front()) + "; a routing that never turns from down to up avoids such cycles";
    return;
  }
  if (!first_part) return;
  for (const StuckQueue& queue : stuck) {
    if (!warned.insert(queue.link).second) continue;
    warnings.push_back("pause storm: " + port_name(queue.link) + " was paused for more than " +
                       std::to_string(stuck_ps / 1'000'000) + " us without a departure, until " +
                       std::to_string(tick.from / 1'000'000) + " us at least");
  }
}

/// Where a run ends after a failure does not depend on the tick in which that was noticed.
void Engine::Impl::end_after_failure() {
  backend->fetch(false);
  const TimePs failed_ps = first_failed_qp(model.view).when_ps;
  if (!part) horizon_ps = std::min(horizon_ps, failure_end_ps(failed_ps, model.view.settings.epoch_ps));
  backend->acknowledge_failure();
}

/// A failure before the checkpoint still ends the run.
void Engine::Impl::go_on_failed() {
  const TimePs failed_ps = first_failed_qp(model.view).when_ps;
  if (failed_ps >= kNever) return;
  model.view.failure->kind = kFailureSeen;
  if (!part) horizon_ps = std::min(horizon_ps, failure_end_ps(failed_ps, model.view.settings.epoch_ps));
}

/// Others may still cause something here, so time does not run ahead of them.
void Engine::Impl::stay_at(TimePs stop) {
  if (tick.from > stop) tick.from = stop;
  backend->release(tick.parity, tick.from);
}

/// A checked run takes ticks one by one, so the backend cannot jump over idle stretches: it is done here.
void Engine::Impl::skip_idle(TimePs limit) {
  const TimePs next = earliest_ps(model.view, tick.parity);
  if (next >= kNever || next <= tick.from) return;
  tick.from = std::max(tick.from, std::min(next / tick_ps * tick_ps, limit));
}

void Engine::Impl::verify(const Tick& done, TimePs limit) {
  backend->fetch(true);
  if (tick.from < limit) skip_idle(limit);
  const std::string problem = checker->find_violation({done.from, done.to, tick.from, tick.parity}, backend->tally());
  if (problem.empty()) {
    if (!asked_to_check && checker->looks() > kUnaskedLooks) checker.reset();
    return;
  }
  throw std::logic_error(problem + "; this is a defect of the engine, so what it computed cannot be trusted");
}

Engine::Engine(const World& world, const EngineOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->horizon_ps = world.clocks.horizon_ps;
  impl_->tick_ps = world.clocks.tick_ps;
  impl_->stuck_ps = world.clocks.stuck_ps;
  impl_->watchdog = world.fabric.watchdog_ps != 0;
  impl_->part = !options.part.rank_of_node.empty();
  if (impl_->part && options.check)
    throw std::invalid_argument("check: the invariants of a part of a world cannot be verified; use one rank");
  impl_->names = world.fabric.names;
  for (const Node& node : world.fabric.nodes) impl_->first_links.push_back(node.first_link);
  expand_world(world, options, impl_->model);
  impl_->first_part = options.part.rank == 0;
  impl_->asked_to_check = options.check;
  if (!impl_->part && (options.check || kChecked)) impl_->checker = std::make_unique<InvariantChecker>(impl_->model);
  impl_->backend = options.device == Device::gpu ? make_gpu_backend(impl_->model, options, world.clocks.tick_ps)
                                                 : make_cpu_backend(impl_->model, options, world.clocks.tick_ps);
}

Engine::~Engine() = default;

bool Engine::advance(TimePs until) {
  Impl& m = *impl_;
  while (!m.ended() && !m.broken() && m.tick.from < until) {
    const TimePs end = std::min(until, m.horizon_ps);
    const TimePs look = next_look_ps(m.tick.from, m.stuck_ps);
    const TimePs limit = std::min(end, look);
    const TimePs stop = m.checker ? tick_end(m.tick.from, m.tick_ps, limit) : limit;
    const Tick done{m.tick.from, stop, m.tick.parity};
    m.backend->advance(m.tick, m.tick_ps, stop, m.ticks);
    if (exhausted()) m.exhausted_ps = m.tick.from;
    if (m.part) m.stay_at(stop);
    if (m.model.view.failure->kind == kFailureNew) m.end_after_failure();
    if (m.checker && !m.broken()) m.verify(done, std::min(limit, m.horizon_ps));
    if (m.tick.from >= look && !m.part && !m.ended() && !m.broken() && m.any_paused()) m.judge(m.stuck());
  }
  return !m.ended() && !m.broken();
}

std::vector<u32> Engine::neighbours() const {
  std::vector<u32> ranks;
  for (const Neighbour& n : impl_->model.neighbours) ranks.push_back(n.rank);
  return ranks;
}

WordMemory& Engine::word_memory() { return impl_->backend->word_memory(); }

TimePs Engine::collect(std::span<WordBuffer> out) { return impl_->backend->collect(impl_->tick.parity, out); }

void Engine::deliver(std::span<const WordBuffer> in) { impl_->backend->deliver(impl_->tick.parity, in); }

bool Engine::over() const { return impl_->ended() || !impl_->deadlock.empty(); }

bool Engine::exhausted() const { return *impl_->model.view.pool.exhausted != 0; }

TimePs Engine::next_event_ps() const { return impl_->backend->next_event_ps(impl_->tick.parity); }

TimePs Engine::next_beyond_horizon_ps() {
  Impl& m = *impl_;
  if (m.tick.from >= kNever) return kNever;
  if (m.tick.from < m.horizon_ps || m.broken()) return m.tick.from;
  m.backend->fetch(true);
  Tick next = m.tick;  // what is to be known of the state goes on being read where the last tick has left it
  return look_ahead(m.model, next, m.tick_ps);
}

/// Not beyond the end: the state is that of the horizon, however far away the next event would be.
void Engine::skip_to(TimePs t) {
  Impl& m = *impl_;
  m.tick.from = std::max(m.tick.from, t >= kNever ? t : std::min(t, m.horizon_ps));
}

TimePs Engine::failed_ps() const { return impl_->qp_failed() ? first_failed_qp(impl_->model.view).when_ps : kNever; }

void Engine::end_at(TimePs horizon_ps) { impl_->horizon_ps = std::min(impl_->horizon_ps, horizon_ps); }

bool Engine::any_paused() const { return impl_->any_paused(); }

std::vector<StuckQueue> Engine::stuck() const { return impl_->stuck(); }

void Engine::judge(std::span<const StuckQueue> stuck) { impl_->judge(stuck); }

u64 Engine::state_digest() const { return impl_->backend->state_digest(impl_->tick); }

void Engine::save(const RecordSink& sink) const {
  const Impl& m = *impl_;
  RecordBlocks records(sink);
  m.backend->fetch(true);
  save_state(m.model, m.tick, records);
  save_sums(m.model, m.backend->tally(), records);
  save_warnings(std::vector<u32>(m.warned.begin(), m.warned.end()), m.warnings, records);
  records.end();
}

bool Engine::needs(u64 record_head) const { return concerns(impl_->model, impl_->first_part, record_head); }

void Engine::load(std::span<const u64> records) {
  Impl& m = *impl_;
  if (!m.loader) m.loader = std::make_unique<StateLoader>(m.model, m.first_part);
  m.loader->take(records);
}

void Engine::go_on_at(TimePs now_ps) {
  Impl& m = *impl_;
  if (!m.loader) throw std::logic_error("go_on_at: nothing has been loaded");
  m.tick = m.loader->finish(now_ps);
  m.warned.insert(m.loader->warned_links().begin(), m.loader->warned_links().end());
  m.warnings = m.loader->warnings();
  m.go_on_failed();
  m.backend->restore(m.loader->sums());
  m.loader.reset();
  m.checker.reset();  // it follows a run from its start
}

TimePs Engine::now_ps() const { return impl_->tick.from; }
u64 Engine::ticks() const { return impl_->ticks; }

Totals Engine::totals() const {
  const Tally t = impl_->backend->tally();
  const auto count = [&](EventKind kind) { return t.count[static_cast<u32>(kind)]; };
  Totals totals;
  totals.packet_hops = t.packet_hops;
  totals.data_packets_received = t.data_received;
  totals.marks = count(EventKind::mark);
  totals.pauses = count(EventKind::pause);
  totals.resumes = count(EventKind::resume);
  totals.cnps = count(EventKind::cnp);
  totals.retransmits = count(EventKind::retransmit);
  totals.timeouts = count(EventKind::timeout);
  for (u32 i = 0; i < kDropCauses; ++i) totals.drops[i] = t.drops[i];
  return totals;
}

void Engine::link_counters(std::span<LinkCounters> out) const {
  impl_->backend->fetch(false);
  read_links(impl_->model, impl_->last_ps(), out);
}

void Engine::links(std::span<LinkOutcome> out) const { read_links(impl_->model, impl_->last_ps(), out); }

std::vector<Event> Engine::take_events() {
  std::vector<Event> events;
  impl_->backend->take_events(events);
  sort_events(events);
  return events;
}

Ending Engine::ending() const {
  const Impl& m = *impl_;
  m.backend->fetch(false);
  const View& v = m.model.view;
  const Tally tally = m.backend->tally();
  Ending end;
  end.event_digest = tally.digest;
  end.totals = totals();
  end.last_completion_ps = tally.last_completion_ps;
  end.unfinished = (m.model.messages_sent - tally.messages_acked) + (m.model.rank_finishes - tally.ranks_finished);
  end.quiet = m.quiet();
  end.now_ps = m.tick.from;
  end.horizon_ps = m.horizon_ps;
  end.exhausted_ps = m.exhausted_ps;
  if (m.exhausted_ps < kNever) {
    end.exhausted = explain_exhausted(m.model, [&](u32 link) { return m.port_name(link); });
  }
  end.deadlock = m.deadlock;
  if (m.qp_failed()) end.failed = first_failed_qp(v);
  end.rto_tries = v.settings.roce.rto_tries;
  for (u64 i = 0; i < m.model.collectives; ++i) {
    const CollectiveLog& c = v.collective.log[i];
    const auto known = [](TimePs t) { return t >= kNever ? TimePs{-1} : t; };
    end.collectives.push_back({known(c.first_enter_ps), c.last_enter_ps, known(c.first_finish_ps), c.last_finish_ps,
                               static_cast<u32>(c.finished)});
  }
  impl_->received = received_bytes(m.model);
  return end;
}

void Engine::messages(u64 first, std::span<MessageOutcome> out) const {
  const MessageLog& log = impl_->model.view.endpoint.message;
  for (MessageOutcome& message : out) {
    const u64 i = first++;
    message = {log.start_ps[i], log.received_ps[i], log.acked_ps[i],   log.retransmitted[i],
               log.marks[i],    log.cnps[i],        impl_->received[i]};
  }
}

Outcome Engine::outcome() {
  if (next_beyond_horizon_ps() >= kNever) skip_to(kNever);
  Ending end = ending();
  if (is_complete(end)) skip_to(kNever);
  Outcome out = conclude(std::move(end), state_digest());
  out.messages.resize(impl_->model.messages);
  messages(0, out.messages);
  out.links.resize(impl_->model.local_link.size());
  links(out.links);
  out.events = take_events();
  out.warnings = warnings();
  return out;
}

const std::vector<std::string>& Engine::warnings() const { return impl_->warnings; }

u64 Engine::memory_bytes() const {
  const Model& model = impl_->model;
  const u64 entries = *model.view.pool.top + *model.view.pool.charged;
  return model.arrays.bytes() + model.used_bytes + entries * (sizeof(Packet) + sizeof(TimePs));
}

}  // namespace heddle
