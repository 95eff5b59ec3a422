#include "kernels/engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "kernels/backend.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/observe/explain.hpp"
#include "kernels/observe/invariants.hpp"
#include "kernels/observe/stuck.hpp"

namespace heddle {
namespace {

#if defined(HEDDLE_CHECK)
inline constexpr bool kAlwaysCheck = true;  // the debug preset
#else
inline constexpr bool kAlwaysCheck = false;
#endif

}  // namespace

struct Engine::Impl {
  TimePs horizon_ps, tick_ps;
  Model model;
  std::unique_ptr<Backend> backend;
  Tick tick;
  u64 ticks = 0;
  TimePs stuck_ps;
  bool watchdog;  // it ends deadlocks, so they do not end the run
  bool check;
  std::vector<std::string> names;
  std::string deadlock;  // the cycle in words, once found
  std::vector<std::string> warnings;
  std::vector<bool> warned;  // [local link]

  std::string port_name(u32 link) const {
    const View& v = model.view;
    const NodeId id = v.node_id[v.link_node[link]];
    const std::string node = id < names.size() ? names[id] : "node " + std::to_string(id);
    return node + " port " + std::to_string(link - v.first_link[v.link_node[link]]);
  }
  /// Nothing is held, on its way, or paused.
  bool quiet() const;
  void look_for_stuck();
  void end_after_failure();
  void verify() const;
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

/// Queues that have been paused for stuck_ps without a departure: a cycle ends the run, others are warned of once.
void Engine::Impl::look_for_stuck() {
  const Tally tally = backend->tally();
  if (tally.count[static_cast<u32>(EventKind::pause)] == tally.count[static_cast<u32>(EventKind::resume)]) return;
  backend->fetch(true);
  const StuckReport report = find_stuck(model, tick.from - stuck_ps);
  if (!report.cycle.empty() && !watchdog) {
    deadlock = "deadlock: each of these paused queues waits for the next, the last for the first: ";
    for (u32 link : report.cycle) deadlock += port_name(link) + " -> ";
    deadlock += port_name(report.cycle.front()) + "; a routing that never turns from down to up avoids such cycles";
    return;
  }
  warned.resize(model.view.links, false);
  for (u32 link : report.stuck) {
    if (warned[link]) continue;
    warned[link] = true;
    warnings.push_back("pause storm: " + port_name(link) + " was paused for more than " +
                       std::to_string(stuck_ps / 1'000'000) + " us without a departure, until " +
                       std::to_string(tick.from / 1'000'000) + " us at least");
  }
}

/// The run ends at the first epoch start after the failure, whatever the tick in which it was noticed.
void Engine::Impl::end_after_failure() {
  backend->fetch(false);
  const TimePs failed_ps = first_failed_qp(model.view).when_ps;
  const TimePs epoch_ps = model.view.settings.epoch_ps;
  horizon_ps = std::min(horizon_ps, (failed_ps / epoch_ps + 1) * epoch_ps);
  backend->acknowledge_failure();
}

void Engine::Impl::verify() const {
  backend->fetch(true);
  const std::string problem = find_violation(model, tick.from, tick.parity);
  if (!problem.empty()) throw std::logic_error(problem + " (before " + std::to_string(tick.from) + " ps)");
}

Engine::Engine(const World& world, const EngineOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->horizon_ps = world.clocks.horizon_ps;
  impl_->tick_ps = world.clocks.tick_ps;
  impl_->stuck_ps = world.clocks.stuck_ps;
  impl_->watchdog = world.fabric.watchdog_ps != 0;
  impl_->check = options.check || kAlwaysCheck;
  impl_->names = world.fabric.names;
  expand_world(world, options, impl_->model);
  impl_->backend = options.device == Device::gpu ? make_gpu_backend(impl_->model, options, world.clocks.tick_ps)
                                                 : make_cpu_backend(impl_->model, options, world.clocks.tick_ps);
}

Engine::~Engine() = default;

bool Engine::advance(TimePs until) {
  Impl& m = *impl_;
  const TimePs look_every =
      std::max<TimePs>(m.stuck_ps / 4, 1);  // a fixed grid: what is found does not depend on the caller
  while (!m.ended() && !m.broken() && m.tick.from < until) {
    const TimePs end = std::min(until, m.horizon_ps);
    const TimePs look = (m.tick.from / look_every + 1) * look_every;
    TimePs stop = std::min(end, look);
    if (m.check) stop = std::min(stop, tick_end(m.tick.from, m.tick_ps, stop));
    m.backend->advance(m.tick, m.tick_ps, stop, m.ticks);
    if (m.model.view.failure->kind == kFailureNew) m.end_after_failure();
    if (m.check && !m.ended() && !m.broken()) m.verify();
    if (m.tick.from >= look && !m.ended() && !m.broken()) m.look_for_stuck();
  }
  return !m.ended() && !m.broken();
}

u64 Engine::state_digest() const { return impl_->backend->state_digest(impl_->tick); }

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
  Impl& m = *impl_;
  m.backend->fetch(false);
  const View& v = m.model.view;
  const TimePs now = std::min(m.tick.from, m.horizon_ps);
  for (std::size_t g = 0; g < out.size(); ++g) {
    const u32 l = m.model.local_link[g];
    LinkCounters c;
    c.sent_bytes = v.link_tally[l].sent_wire_bytes;
    c.ecn_marks = v.link_tally[l].marks;
    c.drops = v.link_tally[l].drops;
    if (v.link_node[l] < v.switches) {
      for (u32 k = 0; k < v.settings.classes; ++k) c.queue_bytes += v.queue[l * v.settings.classes + k].bytes;
    }
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
      const PauseReader& r = v.pause_reader[l * v.settings.pfc_classes + p];
      c.paused_ps += r.total_ps + (r.paused ? static_cast<u64>(now - r.since_ps) : 0);
    }
    out[g] = c;
  }
}

std::vector<Event> Engine::take_events() {
  std::vector<Event> events;
  impl_->backend->take_events(events);
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.time_ps, a.node, a.port, a.kind, a.cls, a.value, a.detail) <
           std::tie(b.time_ps, b.node, b.port, b.kind, b.cls, b.value, b.detail);
  });
  return events;
}

Outcome Engine::outcome() {
  Impl& m = *impl_;
  m.backend->fetch(false);
  const View& v = m.model.view;
  const Tally tally = m.backend->tally();
  Outcome out;
  out.digest = tally.digest;
  out.totals = totals();
  out.end_ps = tally.last_completion_ps;
  const MessageLog& log = v.endpoint.message;
  for (u64 i = 0; i < m.model.messages; ++i) {
    out.messages.push_back(
        {log.start_ps[i], log.received_ps[i], log.acked_ps[i], log.retransmitted[i], log.marks[i], log.cnps[i]});
  }
  u64 collectives = 0;
  for (u32 j = 0; j < v.collective.jobs; ++j) collectives += v.collective.job[j].steps;
  for (u64 i = 0; i < collectives; ++i) {
    const CollectiveLog& c = v.collective.log[i];
    const auto known = [](TimePs t) { return t >= kNever ? TimePs{-1} : t; };
    out.collectives.push_back({known(c.first_enter_ps), c.last_enter_ps, known(c.first_finish_ps), c.last_finish_ps,
                               static_cast<u32>(c.finished)});
  }
  out.events = take_events();
  out.warnings = m.warnings;
  const u64 unfinished = (m.model.messages - tally.messages_acked) + (m.model.rank_finishes - tally.ranks_finished);
  if (*v.pool.exhausted != 0) {
    out.reason = EndReason::error;
    out.explanation = explain_exhausted(v);
  } else if (m.qp_failed()) {
    out.reason = EndReason::qp_failed;
    out.explanation = explain_failed_qp(v);
    out.end_ps = m.horizon_ps;
  } else if (!m.deadlock.empty()) {
    out.reason = EndReason::deadlock;
    out.explanation = m.deadlock;
    out.end_ps = m.tick.from;
  } else if (unfinished == 0 && m.quiet()) {
    out.reason = EndReason::complete;
  } else if (m.tick.from >= kNever) {
    out.reason = EndReason::stalled;
    out.explanation =
        "nothing can ever happen again, but messages or ranks are unfinished: " + std::to_string(unfinished);
  } else {
    out.reason = EndReason::horizon;
    out.end_ps = std::min(m.tick.from, m.horizon_ps);
    out.explanation = "messages or ranks that were unfinished: " + std::to_string(unfinished);
  }
  return out;
}

u64 Engine::memory_bytes() const {
  return impl_->model.arrays.bytes() + *impl_->model.view.pool.top * (sizeof(Packet) + sizeof(TimePs));
}

}  // namespace heddle
